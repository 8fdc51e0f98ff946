#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"

static char who[] = "ContainerAdministrator";
static char spec[] = "{\"CmsPlugins\":[]}";

ALL_TESTS(NULL, fixture_end)

TEST(absent_windows_is_fine)
{
    fixture_begin_pod(LEVEL_EMPTY);
    fixture_expect_untouched(normalise_windows);
    fixture_expect_untouched(normalise_windows_host_process);
    fixture_begin_container(LEVEL_EMPTY);
    fixture_expect_untouched(normalise_windows);
    fixture_expect_untouched(normalise_windows_host_process);
}

static const struct container_case {
    bool has_security;
    char *run_as_username;
    char *credential_spec;
    bool host_process;
    const char *refused_without_windows; /* the field below windows.security_context, or NULL */
    const char *refused_without_host_process;
} container_cases[] = {
    {false, NULL, NULL, false, NULL, NULL},
    {true, NULL, NULL, false, NULL, NULL},
    {true, who, NULL, false, "run_as_username", NULL},
    {true, NULL, spec, false, "credential_spec", "credential_spec"},
    {true, NULL, NULL, true, "host_process", "host_process"},
    {true, who, NULL, true, "run_as_username", "host_process"},
};

static void expect_container(normalisation *run, const char *refused, bool dropped)
{
    if (refused) {
        char field[96] = "windows.security_context.";
        strncat(field, refused, sizeof field - strlen(field) - 1);
        fixture_expect_refusal(run, field);
    } else if (dropped) {
        assert_true(fixture_run(run));
        assert_null(fixture.container.windows);
        assert_int_equal(fixture_losses("ContainerConfig.windows"), 1);
    } else {
        fixture_expect_untouched(run);
    }
}

TEST(a_container_goes_down_unless_it_says_who_it_runs_as)
{
    for (size_t i = 0; i < sizeof container_cases / sizeof container_cases[0]; i++) {
        const struct container_case *row = &container_cases[i];
        Model__WindowsContainerConfig windows = MODEL__WINDOWS_CONTAINER_CONFIG__INIT;
        Model__WindowsContainerSecurityContext security = MODEL__WINDOWS_CONTAINER_SECURITY_CONTEXT__INIT;
        security.run_as_username = row->run_as_username ? row->run_as_username : security.run_as_username;
        security.credential_spec = row->credential_spec ? row->credential_spec : security.credential_spec;
        security.host_process = row->host_process;
        windows.security_context = row->has_security ? &security : NULL;
        fixture_begin_container(LEVEL_EMPTY);
        fixture.container.windows = &windows;
        expect_container(normalise_windows_host_process, row->refused_without_host_process, false);
        expect_container(normalise_windows, row->refused_without_windows, true);
    }
}

static const struct pod_case {
    char *run_as_username;
    char *credential_spec;
    bool host_process;
    Model__NamespaceMode network;
    const char *refused;
} pod_cases[] = {
    {NULL, NULL, false, MODEL__NAMESPACE_MODE__POD, NULL},
    {who, NULL, false, MODEL__NAMESPACE_MODE__POD, "windows.security_context.run_as_username"},
    {NULL, spec, false, MODEL__NAMESPACE_MODE__POD, "windows.security_context.credential_spec"},
    {NULL, NULL, true, MODEL__NAMESPACE_MODE__POD, "windows.security_context.host_process"},
    {NULL, NULL, false, MODEL__NAMESPACE_MODE__NODE, "windows.security_context.namespace_options.network"},
};

TEST(a_pod_goes_down_unless_it_says_who_it_runs_as)
{
    static normalisation *const runs[] = {normalise_windows, normalise_windows_host_process};
    for (size_t i = 0; i < 2 * sizeof pod_cases / sizeof pod_cases[0]; i++) {
        const struct pod_case *row = &pod_cases[i / 2];
        Model__WindowsPodSandboxConfig windows = MODEL__WINDOWS_POD_SANDBOX_CONFIG__INIT;
        Model__WindowsSandboxSecurityContext security = MODEL__WINDOWS_SANDBOX_SECURITY_CONTEXT__INIT;
        Model__WindowsNamespaceOption namespaces = MODEL__WINDOWS_NAMESPACE_OPTION__INIT;
        namespaces.network = row->network;
        security.namespace_options = &namespaces;
        security.run_as_username = row->run_as_username ? row->run_as_username : security.run_as_username;
        security.credential_spec = row->credential_spec ? row->credential_spec : security.credential_spec;
        security.host_process = row->host_process;
        windows.security_context = &security;
        fixture_begin_pod(LEVEL_EMPTY);
        fixture.pod.windows = &windows;
        if (row->refused) {
            fixture_expect_refusal(runs[i % 2], row->refused);
        } else {
            assert_true(fixture_run(runs[i % 2]));
            assert_null(fixture.pod.windows);
            assert_int_equal(fixture_losses("PodSandboxConfig.windows"), 1);
        }
    }
}

TEST(a_bare_windows_pod_goes_down)
{
    Model__WindowsPodSandboxConfig windows = MODEL__WINDOWS_POD_SANDBOX_CONFIG__INIT;
    fixture_begin_pod(LEVEL_EMPTY);
    fixture.pod.windows = &windows;
    assert_true(fixture_run(normalise_windows));
    assert_null(fixture.pod.windows);
}

TEST(limits_of_a_container_are_not_lost)
{
    for (int i = 0; i < 7; i++) {
        Model__WindowsContainerConfig windows = MODEL__WINDOWS_CONTAINER_CONFIG__INIT;
        Model__WindowsContainerResources resources = MODEL__WINDOWS_CONTAINER_RESOURCES__INIT;
        Model__WindowsCpuGroupAffinity affinity = MODEL__WINDOWS_CPU_GROUP_AFFINITY__INIT;
        Model__WindowsCpuGroupAffinity *affinities[] = {&affinity};
        int64_t *const limits[] = {&resources.cpu_shares, &resources.cpu_count, &resources.cpu_maximum,
                                   &resources.memory_limit_in_bytes, &resources.rootfs_size_in_bytes};
        fixture_begin_container(LEVEL_EMPTY);
        fixture.container.windows = &windows;
        windows.resources = &resources;
        if (i < 5) {
            *limits[i] = 1;
        }
        resources.affinity_cpus = affinities;
        resources.n_affinity_cpus = i == 5;
        if (i < 6) {
            fixture_expect_refusal(normalise_windows, "windows.resources");
        } else {
            assert_true(fixture_run(normalise_windows));
            assert_null(fixture.container.windows);
            assert_int_equal(fixture_losses("ContainerConfig.windows"), 1);
        }
    }
}

TEST(a_pods_own_network_goes_down_the_nodes_does_not)
{
    for (int i = 0; i < 4; i++) {
        Model__WindowsPodSandboxConfig windows = MODEL__WINDOWS_POD_SANDBOX_CONFIG__INIT;
        Model__WindowsSandboxSecurityContext security = MODEL__WINDOWS_SANDBOX_SECURITY_CONTEXT__INIT;
        Model__WindowsNamespaceOption namespaces = MODEL__WINDOWS_NAMESPACE_OPTION__INIT;
        fixture_begin_pod(LEVEL_EMPTY);
        fixture.pod.windows = i > 0 ? &windows : NULL;
        windows.security_context = i > 1 ? &security : NULL;
        fixture_expect_untouched(normalise_windows_network);
        security.namespace_options = &namespaces;
        if (i == 2) {
            assert_true(fixture_run(normalise_windows_network));
            assert_non_null(fixture.pod.windows);
            assert_null(security.namespace_options);
        } else if (i == 3) {
            namespaces.network = MODEL__NAMESPACE_MODE__NODE;
            fixture_expect_refusal(normalise_windows_network, "windows.security_context.namespace_options.network");
        }
    }
}
