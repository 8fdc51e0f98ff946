#include "tests/cmocka.h"
#include "tests/unit/translate/model/model_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MASKED_FIELD "linux.security_context.masked_paths"
#define READONLY_FIELD "linux.security_context.readonly_paths"
#define MASKED_RULE "LinuxContainerSecurityContext.masked_paths"
#define READONLY_RULE "LinuxContainerSecurityContext.readonly_paths"

/* What kubelets of each age send for a container without wishes. The order is theirs and says nothing. */
static char *masked_of_1_12[] = {"/proc/acpi",          "/proc/kcore",      "/proc/keys",
                                 "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
                                 "/proc/sched_debug",   "/proc/scsi",       "/sys/firmware"};
static char *readonly_of_1_12[] = {"/proc/asound", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};
static char *masked_of_1_28[] = {"/proc/asound",        "/proc/acpi",       "/proc/kcore",       "/proc/keys",
                                 "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
                                 "/proc/scsi",          "/sys/firmware"};
static char *readonly_of_1_28[] = {"/proc/sysrq-trigger", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys"};
static char *masked_of_1_37[] = {"/proc/interrupts",
                                 "/proc/asound",
                                 "/proc/acpi",
                                 "/proc/kcore",
                                 "/proc/keys",
                                 "/proc/latency_stats",
                                 "/proc/timer_list",
                                 "/proc/timer_stats",
                                 "/proc/sched_debug",
                                 "/proc/scsi",
                                 "/sys/firmware",
                                 "/sys/devices/virtual/powercap",
                                 "/sys/devices/system/cpu/cpu0/thermal_throttle"};
static char *masked_without_kcore[] = {"/proc/acpi",          "/proc/asound",     "/proc/keys",
                                       "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
                                       "/proc/sched_debug",   "/proc/scsi",       "/sys/firmware"};
static char *readonly_without_sys[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sysrq-trigger"};
static char *readonly_with_more[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", "/proc/tty"};

static void say(char **masked, size_t masked_count, char **readonly, size_t readonly_count)
{
    fixture.container_security.masked_paths = masked;
    fixture.container_security.n_masked_paths = masked_count;
    fixture.container_security.readonly_paths = readonly;
    fixture.container_security.n_readonly_paths = readonly_count;
}

static void expect_defaults(void)
{
    const Model__LinuxContainerSecurityContext *security = model_container_security(&fixture.model);
    assert_non_null(security);
    assert_int_equal(security->n_masked_paths, 12);
    assert_string_equal(security->masked_paths[3], "/proc/kcore");
    assert_string_equal(security->masked_paths[11], "/sys/firmware");
    assert_int_equal(security->n_readonly_paths, 5);
    assert_string_equal(security->readonly_paths[3], "/proc/sys");
}

ALL_TESTS(NULL, fixture_end)

TEST(defaults_are_filled_at_every_level)
{
    for (enum level level = LEVEL_EMPTY; level < LEVEL_COUNT; level++) {
        fixture_begin_container(level);
        assert_true(fixture_run(normalise_masked_paths_default));
        expect_defaults();
        fixture_expect_untouched(normalise_masked_paths_default);
    }
}

TEST(old_callers_are_filled_for_only_when_the_socket_says_so)
{
    for (enum level level = LEVEL_EMPTY; level < LEVEL_COUNT; level++) {
        fixture_begin_container(level);
        fixture_expect_untouched(normalise_masked_paths_of_old_caller);
        fixture.model.caller_lacks_masked_paths = true;
        assert_true(fixture_run(normalise_masked_paths_of_old_caller));
        expect_defaults();
    }
}

TEST(containers_that_may_be_unmasked_by_chance_are_noticed)
{
    for (enum level level = LEVEL_EMPTY; level < LEVEL_COUNT; level++) {
        bool unmasked = false;
        fixture_begin_container(level);
        fixture.model.unmasked = &unmasked;
        fixture_expect_untouched(normalise_masked_paths_of_old_caller);
        assert_true(unmasked);
        unmasked = false;
        fixture.container_security.privileged = level == LEVEL_SECURITY;
        fixture.model.caller_lacks_masked_paths = level != LEVEL_SECURITY;
        assert_true(fixture_run(normalise_masked_paths_of_old_caller));
        assert_false(unmasked);
    }
    bool unmasked = false;
    fixture_begin_container(LEVEL_SECURITY);
    fixture.model.unmasked = &unmasked;
    say(NULL, 0, readonly_without_sys, COUNT(readonly_without_sys));
    fixture_expect_untouched(normalise_masked_paths_of_old_caller);
    assert_false(unmasked);
}

TEST(privileged_containers_are_not_filled)
{
    fixture_begin_container(LEVEL_SECURITY);
    fixture.container_security.privileged = true;
    fixture.model.caller_lacks_masked_paths = true;
    fixture_expect_untouched(normalise_masked_paths_default);
    fixture_expect_untouched(normalise_masked_paths_of_old_caller);
}

TEST(lists_that_are_said_are_not_filled)
{
    fixture_begin_container(LEVEL_SECURITY);
    fixture.model.caller_lacks_masked_paths = true;
    say(NULL, 0, readonly_without_sys, COUNT(readonly_without_sys));
    fixture_expect_untouched(normalise_masked_paths_of_old_caller);
    say(masked_without_kcore, COUNT(masked_without_kcore), NULL, 0);
    fixture_expect_untouched(normalise_masked_paths_of_old_caller);
}

TEST(pods_have_no_paths)
{
    fixture_begin_pod(LEVEL_SECURITY);
    fixture.model.caller_lacks_masked_paths = true;
    fixture_expect_untouched(normalise_masked_paths_default);
    fixture_expect_untouched(normalise_masked_paths_of_old_caller);
    fixture_expect_untouched(normalise_masked_paths);
}

TEST(filling_without_memory_is_exhaustion)
{
    fixture_begin_container(LEVEL_EMPTY);
    fixture_expect_exhausted(normalise_masked_paths_default);
}

static const struct list_case {
    char **masked;
    size_t masked_count;
    char **readonly;
    size_t readonly_count;
    const char *refused; /* the field, or NULL */
    uint32_t masked_losses;
    uint32_t readonly_losses;
} list_cases[] = {
    {masked_of_1_12, COUNT(masked_of_1_12), readonly_of_1_12, COUNT(readonly_of_1_12), NULL, 0, 0},
    {masked_of_1_28, COUNT(masked_of_1_28), readonly_of_1_28, COUNT(readonly_of_1_28), NULL, 1, 0},
    {masked_of_1_37, COUNT(masked_of_1_37), readonly_of_1_28, COUNT(readonly_of_1_28), NULL, 1, 0},
    {masked_of_1_28, COUNT(masked_of_1_28), readonly_with_more, COUNT(readonly_with_more), NULL, 1, 1},
    {NULL, 0, NULL, 0, MASKED_FIELD, 0, 0},
    {NULL, 0, readonly_of_1_12, COUNT(readonly_of_1_12), MASKED_FIELD, 0, 0},
    {masked_of_1_28, COUNT(masked_of_1_28), NULL, 0, READONLY_FIELD, 0, 0},
    {masked_without_kcore, COUNT(masked_without_kcore), readonly_of_1_28, COUNT(readonly_of_1_28), MASKED_FIELD, 0, 0},
    {masked_of_1_28, COUNT(masked_of_1_28), readonly_without_sys, COUNT(readonly_without_sys), READONLY_FIELD, 0, 0},
    {masked_of_1_12, COUNT(masked_of_1_12), readonly_of_1_28, COUNT(readonly_of_1_28), READONLY_FIELD, 0, 0},
};

TEST(lists_go_down_when_they_close_what_the_runtime_closes)
{
    for (size_t i = 0; i < COUNT(list_cases); i++) {
        const struct list_case *row = &list_cases[i];
        fixture_begin_container(LEVEL_SECURITY);
        say(row->masked, row->masked_count, row->readonly, row->readonly_count);
        if (row->refused) {
            fixture_expect_refusal(normalise_masked_paths, row->refused);
        } else {
            assert_true(fixture_run(normalise_masked_paths));
            assert_int_equal(fixture.container_security.n_masked_paths, 0);
            assert_int_equal(fixture.container_security.n_readonly_paths, 0);
            assert_int_equal(fixture_losses(MASKED_RULE), row->masked_losses);
            assert_int_equal(fixture_losses(READONLY_RULE), row->readonly_losses);
        }
    }
}

TEST(any_list_of_a_privileged_container_goes_down)
{
    for (size_t i = 0; i < COUNT(list_cases); i++) {
        const struct list_case *row = &list_cases[i];
        fixture_begin_container(LEVEL_SECURITY);
        fixture.container_security.privileged = true;
        say(row->masked, row->masked_count, row->readonly, row->readonly_count);
        assert_true(fixture_run(normalise_masked_paths));
        assert_int_equal(fixture.container_security.n_masked_paths, 0);
        assert_int_equal(fixture.container_security.n_readonly_paths, 0);
        assert_int_equal(fixture.report.dropped, 0);
    }
}

TEST(a_container_without_security_context_asks_for_nothing)
{
    for (enum level level = LEVEL_EMPTY; level < LEVEL_SECURITY; level++) {
        fixture_begin_container(level);
        fixture_expect_untouched(normalise_masked_paths);
    }
}

TEST(what_was_filled_for_an_older_caller_is_no_loss)
{
    for (enum level level = LEVEL_EMPTY; level < LEVEL_COUNT; level++) {
        fixture_begin_container(level);
        assert_true(fixture_run(normalise_masked_paths_default));
        assert_true(fixture_run(normalise_masked_paths));
        assert_int_equal(model_container_security(&fixture.model)->n_masked_paths, 0);
        assert_int_equal(fixture.report.dropped, 0);
    }
}
