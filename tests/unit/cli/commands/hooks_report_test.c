/* `crigate hooks` without a server: what its answers look like as text, and what they mean for the exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/hooks_report.h"
#include "tests/cmocka.h"

#define KOORDLET                                                                                                                 \
    "{\"name\": \"koordlet.json\", \"endpoint\": \"unix:///k.sock\", \"protocol\": \"koordinator\", \"policy\": \"Ignore\","     \
    " \"timeoutMilliseconds\": 2000, \"stages\": [\"PreRunPodSandbox\", \"PreCreateContainer\"], \"state\": \"ready\","          \
    " \"sinceMilliseconds\": 5, \"calls\": 12, \"failures\": 1, \"skipped\": 0, \"changes\": 7, \"lastError\": null,"            \
    " \"averageMicroseconds\": 950, \"longestMicroseconds\": 2100000}"

static struct json_object *parse(const char *text)
{
    struct json_object *answer = json_tokener_parse(text);
    assert_non_null(answer);
    return answer;
}

/* The caller frees it. */
static char *printed(const char *answer)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    struct json_object *object = parse(answer);
    hooks_report_print(object, out);
    json_object_put(object);
    fclose(out);
    return text;
}

static void expect_printed(const char *answer, const char *expected)
{
    char *text = printed(answer);
    assert_string_equal(text, expected);
    free(text);
}

static enum health health_of(const char *answer)
{
    struct json_object *object = parse(answer);
    enum health health = hooks_report_health(object);
    json_object_put(object);
    return health;
}

TEST(hooks_that_are_off_are_reported_with_the_key_that_changes_it)
{
    static const char off[] = "hooks are off; `hooks: true` in the runtime map switches them on\n";
    expect_printed("{\"on\": false, \"folder\": \"/f\", \"plugins\": [" KOORDLET "]}", off);
    expect_printed("{}", off);
}

TEST(without_plugins_the_folder_is_named)
{
    expect_printed("{\"on\": true, \"folder\": \"/f\", \"plugins\": []}",
                   "there are no plugins: no valid file in /f names one\n");
    expect_printed("{\"on\": true, \"folder\": \"/f\", \"problems\": [\"/f/a.json:1:1: it is empty\"]}",
                   "there are no plugins: no valid file in /f names one\n"
                   "\n"
                   "Problems in the files that name plugins; the previous content of these files stays in force:\n"
                   "/f/a.json:1:1: it is empty\n");
}

TEST(a_plugin_is_a_line)
{
    expect_printed("{\"on\": true, \"plugins\": [" KOORDLET
                   ", {\"name\": \"z.json\", \"state\": \"hanging\", \"policy\": \"Fail\", "
                   "\"calls\": 0, \"failures\": 0, \"averageMicroseconds\": 0, \"longestMicroseconds\": 12345}]}",
                   "NAME            STATE     POLICY   CALLS   FAILURES    MEAN   LONGEST   STAGES\n"
                   "koordlet.json   ready     Ignore      12          1   950us      2.1s   PreRunPodSandbox,PreCreateContainer\n"
                   "z.json          hanging   Fail         0          0       -    12.3ms   -\n");
}

TEST(a_plugin_that_fails_its_hooks_is_not_ready)
{
    char *text = printed("{\"on\": true, \"plugins\": [{\"name\": \"z.json\", \"state\": \"ready\", \"failing\": true},"
                         " {\"name\": \"y.json\", \"state\": \"away\", \"failing\": true}]}");
    assert_non_null(strstr(text, "\nz.json   failing "));
    assert_non_null(strstr(text, "\ny.json   away "));
    free(text);
    assert_int_equal(health_of("{\"plugins\": [{\"state\": \"ready\", \"failing\": true}]}"), HEALTH_DEGRADED);
    assert_int_equal(health_of("{\"plugins\": [{\"state\": \"ready\", \"failing\": false}]}"), HEALTH_WELL);
}

TEST(last_errors_and_dropped_hooks_follow)
{
    char *text = printed("{\"on\": true, \"plugins\": [{\"name\": \"z.json\", \"lastError\": \"no\\u001b[2Jsuch\\nthing\", "
                         "\"lastErrorAgeMilliseconds\": 65000}], \"after\": {\"waiting\": 1, \"dropped\": 3}}");
    assert_non_null(strstr(text, "\nz.json: last error, 1m5s ago: no?[2Jsuch?thing\n"));
    assert_non_null(strstr(text, "\nhooks that were to run after a call and were dropped, because too many waited: 3\n"));
    free(text);
    text = printed("{\"on\": true, \"plugins\": [" KOORDLET "], \"after\": {\"dropped\": 0}}");
    assert_null(strstr(text, "last error"));
    assert_null(strstr(text, "dropped"));
    free(text);
}

TEST(names_cannot_control_the_terminal)
{
    char *text = printed("{\"on\": true, \"folder\": \"\\u001b]0;\", \"problems\": [\"\\u001bc\", null]}");
    assert_null(strchr(text, '\033'));
    free(text);
    text = printed("{\"on\": true, \"plugins\": [{\"name\": \"\\u001bc\", \"stages\": [\"\\u001bc\", null, 5]}, null, 7]}");
    assert_null(strchr(text, '\033'));
    free(text);
}

TEST(stages_without_end_are_cut)
{
    char answer[4096];
    size_t used = (size_t)snprintf(answer, sizeof answer, "{\"on\": true, \"plugins\": [{\"stages\": [\"a\"");
    for (int i = 0; i < 100; i++) {
        used += (size_t)snprintf(answer + used, sizeof answer - used, ",\"PreCreateContainer\"");
    }
    snprintf(answer + used, sizeof answer - used, "]}]}");
    char *text = printed(answer);
    assert_non_null(strstr(text, "a,PreCreateContainer,"));
    assert_true(strlen(text) < 1024);
    free(text);
}

TEST(the_exit_status_is_that_of_the_worst)
{
    assert_int_equal(health_of("{\"on\": false}"), HEALTH_WELL);
    assert_int_equal(health_of("{\"on\": true, \"plugins\": [], \"problems\": []}"), HEALTH_WELL);
    assert_int_equal(health_of("{\"on\": true, \"plugins\": [" KOORDLET "]}"), HEALTH_WELL);
    assert_int_equal(health_of("{\"plugins\": [" KOORDLET "], \"problems\": [\"k.json:3:5: warning: unknown hook\"]}"),
                     HEALTH_WELL);
    assert_int_equal(health_of("{\"plugins\": [" KOORDLET "], \"problems\": [\"k.json:3:5: no JSON\"]}"), HEALTH_DEGRADED);
    assert_int_equal(health_of("{\"plugins\": [" KOORDLET ", {\"state\": \"away\"}]}"), HEALTH_DEGRADED);
    assert_int_equal(health_of("{\"plugins\": [{\"state\": \"hanging\"}, " KOORDLET "]}"), HEALTH_DEGRADED);
    assert_int_equal(health_of("{\"plugins\": [null]}"), HEALTH_DEGRADED);
}
