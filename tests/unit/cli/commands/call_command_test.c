/* `crigate call` without a server: how its arguments are read, and what it says by its exit status. */
#include <stdio.h>
#include <sysexits.h>

#include "cli/commands/call.h"
#include "cli/commands/call_options.h"
#include "tests/cmocka.h"

#define MAX_ARGUMENTS 8
#define STORAGE 128

/* Arguments as main has them: writable, and NULL at the end. */
struct arguments {
    int count;
    char *list[MAX_ARGUMENTS + 2];
    char storage[MAX_ARGUMENTS + 1][STORAGE];
};

static void arguments_of(struct arguments *arguments, const char *const *given)
{
    *arguments = (struct arguments){0};
    const char *next = "call";
    for (int i = 0; next; next = given[i++]) {
        assert_true(arguments->count <= MAX_ARGUMENTS);
        snprintf(arguments->storage[arguments->count], STORAGE, "%s", next);
        arguments->list[arguments->count] = arguments->storage[arguments->count];
        arguments->count++;
    }
}

#define GIVEN(...) ((const char *const[]){__VA_ARGS__, NULL})

static void read_options(struct call_command_options *options, struct arguments *arguments, const char *const *given)
{
    arguments_of(arguments, given);
    assert_true(call_command_options_read(options, arguments->count, arguments->list));
}

static int status_of(const char *const *given)
{
    struct arguments arguments;
    arguments_of(&arguments, given);
    return call_command(arguments.count, arguments.list);
}

TEST(defaults_are_those_of_the_manual)
{
    struct call_command_options options;
    struct arguments arguments;
    read_options(&options, &arguments, GIVEN("Version"));
    assert_string_equal(options.endpoint, "unix:///run/crigate/crigate.sock");
    assert_int_equal(options.api, DIALECT_V1);
    assert_int_equal(options.timeout, 0);
    assert_int_equal(options.max_message, 64 * 1024 * 1024);
    assert_string_equal(options.method, "Version");
    assert_null(options.request);
    assert_false(options.compact || options.raw || options.no_message);
}

TEST(options_may_stand_anywhere)
{
    struct call_command_options options;
    struct arguments arguments;
    read_options(&options, &arguments,
                 GIVEN("ListPods", "--api=v1_9", "{}", "--timeout", "1500ms", "--max-message=2MiB", "--compact"));
    assert_int_equal(options.api, DIALECT_V1_9);
    assert_int_equal(options.timeout, 1500);
    assert_int_equal(options.max_message, 2 * 1024 * 1024);
    assert_true(options.compact);
    assert_string_equal(options.method, "ListPods");
    assert_string_equal(options.request, "{}");
}

TEST(metadata_is_read_and_decoded)
{
    struct call_command_options options;
    struct arguments arguments;
    read_options(&options, &arguments, GIVEN("--metadata", "trace=a=b", "--metadata", "blob-bin=AAEC", "Version"));
    assert_int_equal(options.metadata_count, 2);
    assert_true(bytes_equal(options.metadata[0].key, bytes_of_string("trace")));
    assert_true(bytes_equal(options.metadata[0].value, bytes_of_string("a=b")));
    assert_true(bytes_equal(options.metadata[1].key, bytes_of_string("blob-bin")));
    assert_true(bytes_equal(options.metadata[1].value, bytes_of("\0\1\2", 3)));
}

TEST(wrong_arguments_are_told_by_the_exit_status)
{
    const char *const *const wrong[] = {
        GIVEN(NULL),
        GIVEN("--bogus", "Version"),
        GIVEN("--api", "v2", "Version"),
        GIVEN("--endpoint", "/run/x.sock", "Version"),
        GIVEN("--endpoint", "unix://relative", "Version"),
        GIVEN("--timeout", "10", "Version"),
        GIVEN("--timeout", "0s", "Version"),
        GIVEN("--timeout", "-1s", "Version"),
        GIVEN("--timeout", "99999999h", "Version"),
        GIVEN("--max-message", "2GiB", "Version"),
        GIVEN("--max-message", "18446744073709551615GiB", "Version"),
        GIVEN("--metadata", "novalue", "Version"),
        GIVEN("--metadata", "Upper=x", "Version"),
        GIVEN("--metadata", "x-bin=?", "Version"),
        GIVEN("--metadata", "x=line\nline", "Version"),
        GIVEN("Version", "{}", "{}"),
        GIVEN("--raw-request", "/dev/null", "Version", "{}"),
        GIVEN("--list", "Version"),
        GIVEN("NoSuchMethod"),
        GIVEN("--api", "v1_9", "RuntimeConfig"),
        GIVEN("/runtime.v1.RuntimeService/NoSuchMethod"),
        GIVEN("--template", "/runtime.v1.RuntimeService/NoSuchMethod"),
        GIVEN("Version", "{"),
        GIVEN("Version", "[]"),
        GIVEN("Version", "{\"colour\": 1}"),
        GIVEN("Version", "@/nonexistent/file"),
        GIVEN("--raw-request", "/nonexistent/file", "Version"),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int status = status_of(wrong[i]);
        if (status != EX_USAGE) {
            fail_msg("case %zu (%s ...): exit status %d", i, wrong[i][0] ? wrong[i][0] : "", status);
        }
    }
}

TEST(what_needs_no_server_succeeds)
{
    assert_int_equal(status_of(GIVEN("--help")), 0);
    assert_int_equal(status_of(GIVEN("--list", "--api", "v1alpha2")), 0);
    assert_int_equal(status_of(GIVEN("--template", "--api", "v1_9", "RunPodSandbox")), 0);
}

TEST(an_absent_server_is_unavailable)
{
    assert_int_equal(status_of(GIVEN("--endpoint", "unix:///nonexistent/socket", "Version")), 14);
}
