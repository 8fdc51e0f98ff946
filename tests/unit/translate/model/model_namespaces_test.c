#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"

#define POD MODEL__NAMESPACE_MODE__POD
#define CONTAINER MODEL__NAMESPACE_MODE__CONTAINER
#define NODE MODEL__NAMESPACE_MODE__NODE
#define TARGET MODEL__NAMESPACE_MODE__TARGET
#define LATER ((Model__NamespaceMode)9)

typedef void begin_function(enum level level);
static begin_function *const begins[] = {fixture_begin_pod, fixture_begin_container};
#define KINDS (sizeof begins / sizeof begins[0])

ALL_TESTS(NULL, fixture_end)

TEST(absent_options_are_said_at_every_level)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (enum level level = LEVEL_EMPTY; level < LEVEL_NAMESPACES; level++) {
            begins[kind](level);
            assert_true(fixture_run(normalise_namespaces_said));
            const Model__NamespaceOption *options = model_namespace_options(&fixture.model);
            assert_non_null(options);
            assert_int_equal(options->network, POD);
            assert_int_equal(options->pid, CONTAINER);
            assert_int_equal(options->ipc, POD);
            assert_null(options->userns_options);
            fixture_expect_untouched(normalise_namespaces_said);
        }
    }
}

TEST(present_options_stay_as_they_are)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        begins[kind](LEVEL_NAMESPACES);
        fixture.namespaces.pid = NODE;
        fixture_expect_untouched(normalise_namespaces_said);
        assert_int_equal(fixture.namespaces.pid, NODE);
    }
}

TEST(saying_options_without_memory_is_exhaustion)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        begins[kind](LEVEL_EMPTY);
        fixture_expect_exhausted(normalise_namespaces_said);
    }
}

/* `refused_*`: the field that is refused below namespace_options, or NULL. */
static const struct mode_case {
    Model__NamespaceMode network, pid, ipc;
    const char *refused_by_booleans;
    const char *refused_without_target;
} mode_cases[] = {
    {POD, CONTAINER, POD, NULL, NULL},        {NODE, NODE, NODE, NULL, NULL},
    {NODE, CONTAINER, POD, NULL, NULL},       {POD, POD, POD, "pid", NULL},
    {NODE, POD, NODE, "pid", NULL},           {POD, TARGET, POD, "pid", "pid"},
    {POD, LATER, POD, "pid", "pid"},          {CONTAINER, CONTAINER, POD, "network", NULL},
    {POD, CONTAINER, CONTAINER, "ipc", NULL}, {TARGET, CONTAINER, POD, "network", "network"},
    {POD, CONTAINER, TARGET, "ipc", "ipc"},
};

static void expect_modes(normalisation *run, const char *refused)
{
    if (refused) {
        char field[128];
        snprintf(field, sizeof field, "linux.security_context.namespace_options.%s", refused);
        fixture_expect_refusal(run, field);
    } else {
        fixture_expect_untouched(run);
    }
}

TEST(modes_are_judged_by_what_the_dialect_can_say)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < sizeof mode_cases / sizeof mode_cases[0]; i++) {
            begins[kind](LEVEL_NAMESPACES);
            fixture.namespaces.network = mode_cases[i].network;
            fixture.namespaces.pid = mode_cases[i].pid;
            fixture.namespaces.ipc = mode_cases[i].ipc;
            expect_modes(normalise_pid_namespace, mode_cases[i].refused_by_booleans);
            expect_modes(normalise_target_pid_namespace, mode_cases[i].refused_without_target);
        }
    }
}

TEST(absent_options_go_down_as_they_are)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (enum level level = LEVEL_EMPTY; level < LEVEL_NAMESPACES; level++) {
            begins[kind](level);
            fixture_expect_untouched(normalise_pid_namespace);
            fixture_expect_untouched(normalise_target_pid_namespace);
            fixture_expect_untouched(normalise_user_namespace);
        }
    }
}

TEST(what_is_said_for_an_older_caller_goes_down_again)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        begins[kind](LEVEL_EMPTY);
        assert_true(fixture_run(normalise_namespaces_said));
        fixture_expect_untouched(normalise_pid_namespace);
    }
}

TEST(only_the_nodes_user_namespace_goes_down)
{
    static const struct {
        Model__NamespaceMode mode;
        bool refused;
    } cases[] = {{NODE, false}, {POD, true}, {CONTAINER, true}, {TARGET, true}, {LATER, true}};
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            Model__UserNamespace user_namespace = MODEL__USER_NAMESPACE__INIT;
            user_namespace.mode = cases[i].mode;
            begins[kind](LEVEL_NAMESPACES);
            fixture.namespaces.userns_options = &user_namespace;
            if (cases[i].refused) {
                fixture_expect_refusal(normalise_user_namespace, "linux.security_context.namespace_options.userns_options.mode");
            } else {
                assert_true(fixture_run(normalise_user_namespace));
                assert_null(fixture.namespaces.userns_options);
                assert_int_equal(fixture.report.dropped, 0);
            }
        }
    }
}
