/* `crigate status` without a server: what its answers look like as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/status_table.h"
#include "tests/cmocka.h"

/* The caller frees it. */
static char *printed(struct json_object *status)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    status_table_print(status, out);
    fclose(out);
    json_object_put(status);
    return text;
}

static void expect_printed(const char *status, const char *expected)
{
    struct json_object *object = json_tokener_parse(status);
    assert_non_null(object);
    char *text = printed(object);
    assert_string_equal(text, expected);
    free(text);
}

#define HEADINGS "NAME   ROLE   DIALECT   STATE   SINCE   PODS   CALLS   OLDEST   LISTS   NOTE\n"

TEST(without_callers_nothing_is_said_of_them)
{
    expect_printed("{\"runtimes\": [], \"callers\": []}", HEADINGS);
    expect_printed("{\"runtimes\": []}", HEADINGS);
    expect_printed("{\"runtimes\": [], \"callers\": 7}", HEADINGS);
}

TEST(a_caller_is_a_line)
{
    expect_printed("{\"runtimes\": [], \"callers\": ["
                   "{\"pid\": 812, \"uid\": 0, \"program\": \"kubelet\", \"calls\": 30518, \"last_call_ms\": 70000},"
                   "{\"pid\": 4000, \"uid\": 1000, \"program\": \"\", \"calls\": 0}]}",
                   HEADINGS "\n"
                            "connections of callers:\n"
                            " PID    UID   PROGRAM   CALLS   LAST\n"
                            " 812      0   kubelet   30518   1m10s\n"
                            "4000   1000   -             0   -\n");
}

TEST(a_caller_of_another_pid_namespace_is_explained)
{
    expect_printed(
        "{\"runtimes\": [], \"callers\": [{\"pid\": 0, \"uid\": 0, \"program\": \"\", \"calls\": 1, \"last_call_ms\": 0}]}",
        HEADINGS "\n"
                 "connections of callers:\n"
                 "PID   UID   PROGRAM   CALLS   LAST\n"
                 "  0     0   -             1   0s\n"
                 "PID 0: a process outside of crigate's PID namespace\n");
}

TEST(what_is_lost_or_ignored_is_a_line_each)
{
    static const char status[] = "{\"runtimes\": [{\"name\": \"a\", \"letThrough\": {}, \"ignored\": {}}, {\"name\": \"b\", "
                                 "\"letThrough\": {\"Mount.image\": 1}, \"ignored\": {\"LinuxContainerResources.unified\": 2, "
                                 "\"ContainerConfig.stop_signal\": 3}}]}";
    char *text = printed(json_tokener_parse(status));
    assert_null(strstr(text, "\na:"));
    assert_non_null(strstr(text, "\n\nb: fields lost, as translation in the runtime map allows: Mount.image 1\n"
                                 "\nb: fields that it accepts in requests but ignores: LinuxContainerResources.unified 2, "
                                 "ContainerConfig.stop_signal 3\n"));
    free(text);
}

TEST(many_callers_are_counted)
{
    struct json_object *status = json_object_new_object(), *callers = json_object_new_array();
    for (int i = 0; i < STATUS_TABLE_CALLERS + 5; i++) {
        struct json_object *caller = json_object_new_object();
        json_object_object_add(caller, "pid", json_object_new_int(1000 + i));
        json_object_array_add(callers, caller);
    }
    json_object_object_add(status, "callers", callers);
    char *text = printed(status);
    assert_non_null(strstr(text, "\n1019 "));
    assert_null(strstr(text, "\n1020 "));
    assert_non_null(strstr(text, "\nand 5 more; crigate status -o json prints all\n"));
    free(text);
}

/* The reason is longer than a cell. */
TEST(where_docker_leads_has_a_line)
{
    char note[400], status[600], line[600];
    memset(note, 'n', sizeof note - 1);
    note[sizeof note - 1] = '\0';
    snprintf(status, sizeof status, "{\"runtimes\": [{\"name\": \"d\", \"endpoint\": \"docker\", \"note\": \"%s\\u001b\"}]}",
             note);
    snprintf(line, sizeof line, "\n\nd: endpoint docker is nowhere yet: %s?\n", note);
    char *text = printed(json_tokener_parse(status));
    assert_non_null(strstr(text, line));
    free(text);
    text = printed(
        json_tokener_parse("{\"runtimes\": [{\"name\": \"d\", \"endpoint\": \"docker\", \"resolvedEndpoint\": \"unix:///run/x\"},"
                           "{\"name\": \"e\", \"endpoint\": \"unix:///run/e\", \"note\": \"away\"}]}"));
    assert_non_null(strstr(text, "\n\nd: endpoint docker is unix:///run/x\n"));
    assert_null(strstr(text, "e: endpoint"));
    free(text);
}

/* Of C0 and C1, DEL, what reorders text, and what ends a line elsewhere. What is only unusual stays. */
TEST(a_name_cannot_control_the_terminal)
{
    expect_printed("{\"runtimes\": [], \"callers\": [{\"pid\": 1, \"uid\": 0, \"program\": "
                   "\"a\\u001bb\\u009bc\\u007fd\\u202ee\\u2066f\\u061cg\\u200fh\\u2028i\\u00e4\\u20ac\\ud83d\\ude00\"}]}",
                   HEADINGS "\n"
                            "connections of callers:\n"
                            "PID   UID   PROGRAM                      CALLS   LAST\n"
                            "  1     0   a?b?c?d?e?f?g?h?i\u00e4\u20ac\U0001f600       -   -\n");
    /* A cell ends with a whole character. */
    char status[700], name[600] = "";
    for (int i = 0; i < 100; i++) {
        strcat(name, "\u20ac");
    }
    snprintf(status, sizeof status, "{\"runtimes\": [], \"callers\": [{\"pid\": 1, \"program\": \"%s\"}]}", name);
    char *text = printed(json_tokener_parse(status));
    assert_non_null(strstr(text, "\u20ac   "));
    assert_null(strchr(text, '?'));
    free(text);
}

TEST(that_metrics_are_not_served_has_a_line)
{
    expect_printed("{\"runtimes\": [], \"metrics\": {\"listen\": \"127.0.0.1:9464\"}}", HEADINGS);
    expect_printed("{\"runtimes\": [], \"metrics\": {\"listen\": \"127.0.0.1:9464\", \"problem\": \"cannot bind it\"}}",
                   HEADINGS "\nmetrics: not served: cannot bind it\n");
}
