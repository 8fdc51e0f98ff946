/* What plugins see of configurations, and how changed facts come into them. */
#include "tests/cmocka.h"
#include "tests/unit/translate/hooks/hook_fixture.h"

/* Facts with these resources. */
#define RESOURCES(members) "{'linux': {'resources': {" members "}}}"

/* The facts of the configuration must be these. */
static void expect_facts(struct exchange *exchange, enum model_kind kind, const char *config, const char *facts)
{
    struct bytes found;
    if (!hook_facts_of(kind, hook_config(exchange, kind, config), exchange->arena, &found, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    hook_expect_config(kind == MODEL_POD ? MODEL_POD : MODEL_CONTAINER, found, facts);
}

/* A configuration in which the facts became others must be this one. */
static void expect_applied(struct exchange *exchange, enum model_kind kind, const char *config, const char *before,
                           const char *after, const char *applied)
{
    enum model_kind facts = kind == MODEL_POD ? MODEL_POD : MODEL_CONTAINER;
    struct bytes found;
    if (!hook_facts_apply(kind, hook_config(exchange, kind, config), hook_config(exchange, facts, before),
                          hook_config(exchange, facts, after), exchange->arena, &found, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    hook_expect_config(kind, found, applied);
}

/* ---- showing ---- */

ALL_TESTS(exchange_begin, exchange_end)

TEST(of_a_pod_plugins_see_what_hooks_yaml_shows)
{
    expect_facts(*state, MODEL_POD,
                 "{'metadata': {'name': 'web', 'uid': 'u', 'namespace': 'default', 'attempt': 2}, 'hostname': 'h',"
                 " 'logDirectory': '/l', 'dnsConfig': {'servers': ['1.1.1.1']}, 'portMappings': [{'hostPort': 80}],"
                 " 'labels': {'a': 'b'}, 'annotations': {'c': 'd'}, 'linux': {'cgroupParent': '/p',"
                 " 'securityContext': {'privileged': true}, 'sysctls': {'x': 'y'}, 'overhead': {'cpuShares': '1'},"
                 " 'resources': {'cpuShares': '2', 'cpusetCpus': '0'}}}",
                 "{'metadata': {'name': 'web', 'uid': 'u', 'namespace': 'default', 'attempt': 2}, 'labels': {'a': 'b'},"
                 " 'annotations': {'c': 'd'}, 'linux': {'cgroupParent': '/p', 'overhead': {'cpuShares': '1'},"
                 " 'resources': {'cpuShares': '2', 'cpusetCpus': '0'}}}");
}

TEST(of_a_container_plugins_see_what_hooks_yaml_shows)
{
    expect_facts(*state, MODEL_CONTAINER,
                 "{'metadata': {'name': 'c', 'attempt': 1}, 'image': {'image': 'i'}, 'command': ['sh'], 'args': ['-c'],"
                 " 'workingDir': '/', 'envs': [{'key': 'A', 'value': '1'}], 'mounts': [{'hostPath': '/'}],"
                 " 'labels': {'l': 'l'}, 'annotations': {'c': 'd'}, 'logPath': 'x', 'tty': true,"
                 " 'linux': {'resources': {'cpuQuota': '-1', 'hugepageLimits': [{'pageSize': '2MB', 'limit': '1'}]},"
                 " 'securityContext': {'privileged': true}}}",
                 "{'metadata': {'name': 'c', 'attempt': 1}, 'envs': [{'key': 'A', 'value': '1'}], 'annotations': {'c': 'd'},"
                 " 'linux': {'resources': {'cpuQuota': '-1', 'hugepageLimits': [{'pageSize': '2MB', 'limit': '1'}]}}}");
}

TEST(resources_alone_become_facts_of_a_container)
{
    expect_facts(*state, MODEL_RESOURCES, "{'cpuShares': '2', 'unified': {'a': 'b'}}",
                 RESOURCES("'cpuShares': '2', 'unified': {'a': 'b'}"));
    expect_facts(*state, MODEL_RESOURCES, "{}", RESOURCES(""));
}

TEST(nothing_is_known_of_nothing)
{
    expect_facts(*state, MODEL_POD, "{}", "{}");
    expect_facts(*state, MODEL_CONTAINER, "{'windows': {}}", "{}");
}

TEST(unknown_fields_are_not_shown)
{
    struct exchange *exchange = *state;
    /* linux {resources {field 200, cpu_shares 2}, field 200} and field 200 */
    struct bytes config = BYTES(0x7a, 0x0a, 0x0a, 0x05, 0xc0, 0x0c, 0x01, 0x18, 0x02, 0xc0, 0x0c, 0x01, 0xc0, 0x0c, 0x01), facts;
    assert_true(hook_facts_of(MODEL_CONTAINER, config, exchange->arena, &facts, &exchange->error));
    struct bytes expected = BYTES(0x7a, 0x04, 0x0a, 0x02, 0x18, 0x02);
    assert_true(bytes_equal(facts, expected));
}

TEST(malformed_configurations_have_no_facts)
{
    struct exchange *exchange = *state;
    static const uint8_t cut_off[] = {0x0a, 0x02, 0x0a}, other_type[] = {0x0a, 0x02, 0x08, 0x01}, twice[] = {0x0a, 0, 0x0a, 0};
    static const struct {
        struct bytes config;
        const char *message;
    } cases[] = {
        {{cut_off, sizeof cut_off}, "PodSandboxConfig: malformed"},
        {{other_type, sizeof other_type}, "metadata.name: wrong type"},
        {{twice, sizeof twice}, "metadata: occurs twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes facts;
        assert_false(hook_facts_of(MODEL_POD, cases[i].config, exchange->arena, &facts, &exchange->error));
        assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
        assert_string_equal(exchange->error.message, cases[i].message);
    }
}

/* ---- updates ---- */

static void expect_updated(struct exchange *exchange, const char *container, const char *resources, const char *updated)
{
    struct bytes found;
    if (!hook_facts_update(hook_config(exchange, MODEL_CONTAINER, container), hook_config(exchange, MODEL_RESOURCES, resources),
                           exchange->arena, &found, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    hook_expect_config(MODEL_CONTAINER, found, updated);
}

TEST(an_update_replaces_what_it_has)
{
    expect_updated(*state,
                   "{'metadata': {'name': 'c'}, 'linux': {'resources': {'cpuShares': '2', 'cpuQuota': '5', 'cpusetCpus': '0',"
                   " 'oomScoreAdj': '3', 'unified': {'a': '1', 'b': '2'}}}}",
                   "{'cpuShares': '9', 'cpusetCpus': '1', 'oomScoreAdj': '-4', 'unified': {'b': '3', 'c': '4'}}",
                   "{'metadata': {'name': 'c'}, 'linux': {'resources': {'cpuShares': '9', 'cpuQuota': '5', 'cpusetCpus': '1',"
                   " 'oomScoreAdj': '-4', 'unified': {'a': '1', 'b': '3', 'c': '4'}}}}");
}

TEST(an_update_without_a_value_leaves_it)
{
    expect_updated(*state, RESOURCES("'cpuShares': '2', 'cpusetCpus': '0', 'oomScoreAdj': '3'"), "{'cpuShares': '0'}",
                   RESOURCES("'cpuShares': '2', 'cpusetCpus': '0', 'oomScoreAdj': '3'"));
}

TEST(an_update_is_not_judged)
{
    expect_updated(*state, "{}", "{'cpuQuota': '-7', 'cpusetCpus': 'x', 'unified': {'..': ''}}",
                   RESOURCES("'cpuQuota': '-7', 'cpusetCpus': 'x', 'unified': {'..': ''}"));
}

TEST(an_update_of_huge_pages_replaces_all)
{
    expect_updated(*state, RESOURCES("'hugepageLimits': [{'pageSize': '2MB', 'limit': '1'}, {'pageSize': '1GB', 'limit': '2'}]"),
                   "{'hugepageLimits': [{'pageSize': '2MB', 'limit': '3'}]}",
                   RESOURCES("'hugepageLimits': [{'pageSize': '2MB', 'limit': '3'}]"));
}

/* ---- into the configuration ---- */

TEST(equal_facts_leave_the_configuration)
{
    struct exchange *exchange = *state;
    struct bytes config = hook_config(exchange, MODEL_CONTAINER, "{'tty': true}"), out;
    struct bytes facts = hook_config(exchange, MODEL_CONTAINER, RESOURCES("'cpuShares': '2'"));
    assert_true(hook_facts_apply(MODEL_CONTAINER, config, facts, facts, exchange->arena, &out, &exchange->error));
    assert_ptr_equal(out.data, config.data);
    assert_int_equal(out.len, config.len);
}

TEST(changed_facts_of_a_pod_come_into_its_configuration)
{
    expect_applied(*state, MODEL_POD,
                   "{'hostname': 'h', 'labels': {'a': '1', 'b': '2'}, 'linux': {'cgroupParent': '/a', 'sysctls': {'x': 'y'}}}",
                   "{'labels': {'a': '1', 'b': '2'}, 'linux': {'cgroupParent': '/a'}}",
                   "{'labels': {'a': '3', 'b': '2', 'c': '4'}, 'linux': {'cgroupParent': '/b'}}",
                   "{'hostname': 'h', 'labels': {'a': '3', 'b': '2', 'c': '4'},"
                   " 'linux': {'cgroupParent': '/b', 'sysctls': {'x': 'y'}}}");
}

TEST(changed_facts_of_a_container_come_into_its_configuration)
{
    expect_applied(*state, MODEL_CONTAINER,
                   "{'image': {'image': 'i'}, 'envs': [{'key': 'A', 'value': '1'}], 'linux': {'resources': {'cpuShares': '2',"
                   " 'cpusetCpus': '0'}, 'securityContext': {'privileged': true}}}",
                   "{'envs': [{'key': 'A', 'value': '1'}], 'linux': {'resources': {'cpuShares': '2', 'cpusetCpus': '0'}}}",
                   "{'envs': [{'key': 'A', 'value': '2'}], 'linux': {'resources': {'cpuShares': '2', 'cpuQuota': '-1'}}}",
                   "{'image': {'image': 'i'}, 'envs': [{'key': 'A', 'value': '2'}], 'linux': {'resources': {'cpuShares': '2',"
                   " 'cpuQuota': '-1'}, 'securityContext': {'privileged': true}}}");
}

TEST(a_configuration_without_linux_gets_it)
{
    expect_applied(*state, MODEL_CONTAINER, "{'tty': true}", "{}", RESOURCES("'cpuQuota': '5000'"),
                   "{'tty': true, 'linux': {'resources': {'cpuQuota': '5000'}}}");
}

TEST(a_changed_entry_keeps_its_place)
{
    struct exchange *exchange = *state;
    struct bytes before = exchange_join(exchange, hook_config(exchange, MODEL_POD, "{'labels': {'b': '1'}}"),
                                        hook_config(exchange, MODEL_POD, "{'labels': {'a': '2'}, 'annotations': {'c': '3'}}"));
    struct bytes after = exchange_join(exchange, hook_config(exchange, MODEL_POD, "{'labels': {'b': '4'}}"),
                                       hook_config(exchange, MODEL_POD, "{'labels': {'a': '2'}, 'annotations': {'c': '3'}}"));
    struct bytes out;
    assert_true(hook_facts_apply(MODEL_POD, before, before, after, exchange->arena, &out, &exchange->error));
    assert_true(bytes_equal(out, after));
}

TEST(an_update_has_only_what_kubelet_and_plugin_said)
{
    expect_applied(*state, MODEL_RESOURCES, "{'cpuShares': '9'}",
                   RESOURCES("'cpuShares': '9', 'cpuQuota': '5', 'memoryLimitInBytes': '4096', 'unified': {'a': '1'}"),
                   RESOURCES("'cpuShares': '9', 'cpuQuota': '7', 'memoryLimitInBytes': '4096', 'unified': {'a': '1', 'b': '2'}"),
                   "{'cpuShares': '9', 'cpuQuota': '7', 'unified': {'b': '2'}}");
}

TEST(an_update_in_which_the_plugin_changes_the_kubelets_value)
{
    expect_applied(*state, MODEL_RESOURCES, "{'cpuShares': '9', 'cpusetCpus': '0-3'}",
                   RESOURCES("'cpuShares': '9', 'cpusetCpus': '0-3'"), RESOURCES("'cpuShares': '4'"), "{'cpuShares': '4'}");
}

TEST(an_update_that_a_plugin_echoes_stays)
{
    struct exchange *exchange = *state;
    struct bytes facts = hook_config(exchange, MODEL_CONTAINER, RESOURCES("'cpuQuota': '5'")), known, merged, out;
    struct bytes request = hook_config(exchange, MODEL_RESOURCES, "{'cpuShares': '9'}");
    struct hook_changes changes;
    assert_true(hook_facts_update(facts, request, exchange->arena, &known, &exchange->error));
    assert_true(hook_merge(exchange, MODEL_CONTAINER, known, known, &merged, &changes));
    assert_true(hook_facts_apply(MODEL_RESOURCES, request, known, merged, exchange->arena, &out, &exchange->error));
    assert_ptr_equal(out.data, request.data);
}

/* In the bytes: linux {field 200, resources {field 200, cpu_shares}, field 201}, field 200. */
TEST(unknown_fields_of_a_configuration_survive)
{
    struct exchange *exchange = *state;
    struct bytes config =
        BYTES(0x7a, 0x0d, 0xc0, 0x0c, 0x01, 0x0a, 0x05, 0xc0, 0x0c, 0x01, 0x18, 0x02, 0xc8, 0x0c, 0x01, 0xc0, 0x0c, 0x07);
    struct bytes expected =
        BYTES(0x7a, 0x0d, 0xc0, 0x0c, 0x01, 0x0a, 0x05, 0xc0, 0x0c, 0x01, 0x18, 0x04, 0xc8, 0x0c, 0x01, 0xc0, 0x0c, 0x07);
    struct bytes before, after = hook_config(exchange, MODEL_CONTAINER, RESOURCES("'cpuShares': '4'")), out;
    assert_true(hook_facts_of(MODEL_CONTAINER, config, exchange->arena, &before, &exchange->error));
    assert_true(hook_facts_apply(MODEL_CONTAINER, config, before, after, exchange->arena, &out, &exchange->error));
    assert_true(bytes_equal(out, expected));
}

TEST(malformed_facts_and_configurations_are_refused)
{
    struct exchange *exchange = *state;
    struct bytes bad = BYTES(0x0a, 0x05), good = hook_config(exchange, MODEL_POD, "{'labels': {'a': 'b'}}"), out;
    assert_false(hook_facts_apply(MODEL_POD, good, bad, good, exchange->arena, &out, &exchange->error));
    assert_string_equal(exchange->error.message, "facts: PodSandboxConfig: malformed");
    assert_false(hook_facts_apply(MODEL_POD, good, good, bad, exchange->arena, &out, &exchange->error));
    assert_string_equal(exchange->error.message, "facts: PodSandboxConfig: malformed");
    assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    /* What is wrong with a container's facts is not passed over because only its resources are of interest. */
    struct bytes request = hook_config(exchange, MODEL_RESOURCES, "{'cpuShares': '2'}");
    struct bytes container = hook_config(exchange, MODEL_CONTAINER, RESOURCES("'cpuShares': '2'"));
    struct bytes bad_below = BYTES(0x7a, 0x02, 0x0a, 0x05); /* linux {resources: cut off} */
    exchange->error = (struct error){0};
    assert_false(hook_facts_apply(MODEL_RESOURCES, request, container, bad_below, exchange->arena, &out, &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    assert_false(hook_facts_update(bad, good, exchange->arena, &out, &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    assert_false(hook_facts_apply(MODEL_POD, bad, (struct bytes){0}, good, exchange->arena, &out, &exchange->error));
    assert_string_equal(exchange->error.message, "malformed PodSandboxConfig");
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
}

/* ---- parts of facts ---- */

TEST(facts_are_split_into_environment_and_rest)
{
    struct exchange *exchange = *state;
    static const char facts[] = "{'metadata': {'name': 'c'}, 'envs': [{'key': 'A', 'value': '1'}, {'key': 'B', 'value': '2'}],"
                                " 'annotations': {'x': 'y'}}";
    struct bytes rest, environment;
    assert_true(hook_facts_split(hook_config(exchange, MODEL_CONTAINER, facts), exchange->arena, &rest, &environment));
    hook_expect_config(MODEL_CONTAINER, rest, "{'metadata': {'name': 'c'}, 'annotations': {'x': 'y'}}");
    hook_expect_config(MODEL_CONTAINER, environment, "{'envs': [{'key': 'A', 'value': '1'}, {'key': 'B', 'value': '2'}]}");
    hook_expect_config(MODEL_CONTAINER, exchange_join(exchange, rest, environment), facts);
}

TEST(labels_are_found)
{
    struct exchange *exchange = *state;
    struct bytes pod = hook_config(exchange, MODEL_POD, "{'labels': {'a': '1', 'e': ''}, 'annotations': {'b': '2'}}");
    assert_true(bytes_equal(hook_facts_label(pod, bytes_of_string("a")), bytes_of_string("1")));
    assert_non_null(hook_facts_label(pod, bytes_of_string("e")).data);
    assert_int_equal(hook_facts_label(pod, bytes_of_string("e")).len, 0);
    assert_null(hook_facts_label(pod, bytes_of_string("b")).data);
    assert_null(hook_facts_label((struct bytes){0}, bytes_of_string("a")).data);
}

TEST(the_cgroup_parent_is_read_and_set)
{
    struct exchange *exchange = *state;
    struct bytes pod = hook_config(exchange, MODEL_POD, "{'labels': {'a': '1'}, 'linux': {'cgroupParent': '/a'}}"), changed;
    assert_true(bytes_equal(hook_facts_cgroup_parent(pod), bytes_of_string("/a")));
    assert_int_equal(hook_facts_cgroup_parent((struct bytes){0}).len, 0);
    assert_true(hook_facts_set_cgroup_parent(pod, bytes_of_string("/b"), exchange->arena, &changed));
    hook_expect_config(MODEL_POD, changed, "{'labels': {'a': '1'}, 'linux': {'cgroupParent': '/b'}}");
    assert_true(hook_facts_set_cgroup_parent((struct bytes){0}, bytes_of_string("/b"), exchange->arena, &changed));
    hook_expect_config(MODEL_POD, changed, "{'linux': {'cgroupParent': '/b'}}");
}
