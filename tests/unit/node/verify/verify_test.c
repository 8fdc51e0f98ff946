/* `crigate verify` without a node: what it prints, and what it reads out of crigate's status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/verify/checks.h"
#include "node/verify/report.h"
#include "tests/cmocka.h"

static struct findings *new_findings(void)
{
    struct findings *findings = calloc(1, sizeof *findings);
    findings->arena = arena_new(1 << 20);
    return findings;
}

static void free_findings(struct findings *findings)
{
    arena_unref(findings->arena);
    free(findings);
}

/* The caller frees it. */
static char *printed(const struct findings *findings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    findings_print(findings, out);
    fclose(out);
    return text;
}

static struct json_object *parse(const char *text)
{
    struct json_object *object = json_tokener_parse(text);
    assert_non_null(object);
    return object;
}

TEST(a_check_is_a_line_with_what_to_do_next)
{
    struct findings *findings = new_findings();
    findings_add(findings, "unit", CHECK_OK, "all well", NULL);
    findings_add(findings, "map", CHECK_WRONG, findings_text(findings, "%d errors\033[2J\n", 2), "correct it");
    char *text = printed(findings);
    assert_string_equal(text, "ok       unit: all well\n"
                              "wrong    map: 2 errors?[2J?; next: correct it\n");
    free(text);
    free_findings(findings);
}

TEST(the_worst_check_decides)
{
    struct findings *findings = new_findings();
    assert_int_equal(findings_state(findings), CHECK_OK);
    findings_add(findings, "a", CHECK_WARNING, "x", NULL);
    findings_add(findings, "b", CHECK_OK, "x", NULL);
    assert_int_equal(findings_state(findings), CHECK_WARNING);
    findings_add(findings, "c", CHECK_WRONG, "x", NULL);
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    for (int i = 0; i < 2 * CHECKS_MOST; i++) {
        findings_add(findings, "d", CHECK_OK, "x", NULL);
    }
    assert_int_equal(findings->count, CHECKS_MOST);
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    free_findings(findings);
}

TEST(as_json_a_check_has_all_members)
{
    struct findings *findings = new_findings();
    findings_add(findings, "unit", CHECK_OK, "all well", NULL);
    struct json_object *json = findings_json(findings);
    assert_string_equal(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN),
                        "{\"ok\":true,\"checks\":[{\"name\":\"unit\",\"state\":\"ok\",\"detail\":\"all well\",\"next\":null}]}");
    json_object_put(json);
    findings_add(findings, "map", CHECK_WARNING, "hm", "look");
    json = findings_json(findings);
    assert_non_null(strstr(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN), "{\"ok\":false,"));
    assert_non_null(strstr(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN),
                           "{\"name\":\"map\",\"state\":\"warning\",\"detail\":\"hm\",\"next\":\"look\"}"));
    json_object_put(json);
    free_findings(findings);
}

TEST(what_cannot_be_seen_is_neither_ok_nor_a_fault)
{
    struct findings *findings = new_findings();
    findings_add(findings, "annotation", CHECK_UNKNOWN, "not seen", "look");
    assert_true(findings_are_good(findings));
    char *text = printed(findings);
    assert_string_equal(text, "unknown  annotation: not seen; next: look\n");
    free(text);
    findings_add(findings, "unit", CHECK_WARNING, "hm", NULL);
    assert_false(findings_are_good(findings));
    free_findings(findings);
}

static struct findings *checked(void (*check)(const struct look *look, struct findings *findings), const char *status)
{
    struct look look = {.status = parse(status), .config = "f"};
    struct findings *findings = new_findings();
    check(&look, findings);
    json_object_put(look.status);
    return findings;
}

TEST(a_runtime_because_of_which_lists_fail_is_wrong)
{
    struct findings *findings =
        checked(check_runtimes, "{\"runtimes\": [{\"name\": \"a\", \"state\": \"ready\", \"failingList\": \"ListContainers\"}]}");
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    assert_non_null(strstr(findings->checks[0].detail, "ListContainers"));
    free_findings(findings);
}

TEST(a_socket_to_which_callers_cannot_connect_is_wrong)
{
    struct findings *findings = checked(check_refusals, "{\"unreachable\": \"/c.sock was removed\"}");
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    assert_non_null(strstr(findings->checks[0].detail, "/c.sock was removed"));
    free_findings(findings);
}

TEST(a_plugin_because_of_which_calls_are_refused_is_wrong)
{
    struct findings *findings = checked(check_plugins, "{\"hooks\": {\"refusing\": [\"k.json\"]}}");
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    assert_non_null(strstr(findings->checks[0].detail, "k.json"));
    free_findings(findings);
    findings = checked(check_plugins, "{\"hooks\": {\"refusing\": []}}");
    assert_int_equal(findings->count, 1);
    assert_int_equal(findings_state(findings), CHECK_OK);
    free_findings(findings);
    findings = checked(check_plugins, "{}");
    assert_int_equal(findings->count, 0);
    free_findings(findings);
}

#define HANGING "{\"name\": \"a\", \"role\": \"primary\", \"state\": \"hanging\", \"note\": \"x\""

TEST(a_primary_that_answers_late_is_no_reason_to_start_it)
{
    struct findings *findings = checked(check_runtimes, "{\"runtimes\": [" HANGING "}]}");
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    assert_non_null(strstr(findings->checks[0].next, "budget"));
    free_findings(findings);
    findings = checked(check_runtimes, "{\"runtimes\": [" HANGING ", \"answersLate\": true}]}");
    assert_int_equal(findings_state(findings), CHECK_WARNING);
    free_findings(findings);
}

TEST(a_node_with_the_package_alone_does_not_use_crigate)
{
    struct look look = {.unit = {.loaded = true, .active = "inactive", .enabled = "disabled"}};
    assert_false(look_finds_use(&look));
    look.unit.enabled = "enabled";
    assert_true(look_finds_use(&look));
    look.unit = (struct systemd_unit){.loaded = true, .active = "failed", .enabled = "disabled"};
    assert_true(look_finds_use(&look));
    look.unit = (struct systemd_unit){0};
    look.has_kubelet = true;
    look.kubelet.runtime_endpoint.value = "unix:///run/containerd/containerd.sock";
    assert_false(look_finds_use(&look));
    /* One that is started by hand, and listens or does not. */
    look.status_error.code = STATUS_UNAVAILABLE;
    assert_false(look_finds_use(&look));
    look.status_error.code = STATUS_DEADLINE_EXCEEDED;
    assert_true(look_finds_use(&look));
    look.status_error.code = STATUS_UNAVAILABLE;
    look.kubelet.runtime_endpoint.value = "unix:///run/crigate/crigate.sock";
    assert_true(look_finds_use(&look));
}

/* What starts crigate also on a node whose kubelet was led to it by hand, with a map for this node. */
TEST(a_unit_that_was_never_started_is_started_by_install)
{
    static const struct {
        const char *active, *enabled, *next;
    } cases[] = {
        {"inactive", "disabled", "crigate install"},
        {"inactive", "enabled", "journalctl -u crigate.service"},
        {"failed", "disabled", "journalctl -u crigate.service"},
    };
    struct runtime_map map = {.listen.address = "unix:///there-is-no-such"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct look look = {.systemd = true, .unit = {.loaded = true, .active = cases[i].active, .enabled = cases[i].enabled}};
        struct findings *findings = new_findings();
        look.map = &map;
        check_unit(&look, findings);
        check_process(&look, findings);
        for (size_t j = 0; j < 2; j++) {
            assert_int_equal(findings->checks[j].state, CHECK_WRONG);
            assert_ptr_equal(strstr(findings->checks[j].next, cases[i].next), findings->checks[j].next);
        }
        free_findings(findings);
    }
}

TEST(a_bad_map_is_no_reason_for_a_bypass)
{
    struct look look = {.config = "f", .unit = {.loaded = true, .active = "active", .enabled = "enabled"}};
    struct findings *findings = new_findings();
    check_process(&look, findings);
    assert_int_equal(findings_state(findings), CHECK_UNKNOWN);
    assert_null(strstr(findings->checks[0].next, "bypass"));
    free_findings(findings);
    look.unit.active = "failed";
    findings = new_findings();
    check_process(&look, findings);
    assert_int_equal(findings_state(findings), CHECK_WRONG);
    assert_null(strstr(findings->checks[0].next, "bypass"));
    free_findings(findings);
}

static int64_t last_call(const char *status, pid_t pid)
{
    struct json_object *object = parse(status);
    int64_t last = look_last_call(object, pid);
    json_object_put(object);
    return last;
}

TEST(the_latest_call_of_all_connections_counts)
{
    static const char callers[] =
        "{\"callers\": [{\"pid\": 5, \"calls\": 9, \"last_call_ms\": 700}, {\"pid\": 5, \"calls\": 0},"
        " {\"pid\": 6, \"calls\": 1, \"last_call_ms\": 1}, {\"pid\": 5, \"calls\": 2, \"last_call_ms\": 90}]}";
    assert_int_equal(last_call(callers, 5), 90);
    assert_int_equal(last_call(callers, 6), 1);
    assert_int_equal(last_call(callers, 7), -1);
    assert_int_equal(last_call("{\"callers\": [{\"pid\": 5, \"calls\": 0}]}", 5), -1);
    assert_int_equal(last_call("{}", 5), -1);
    assert_int_equal(last_call("{\"callers\": 3}", 5), -1);
    assert_int_equal(look_last_call(NULL, 5), -1);
}

static bool in_force(const struct runtime_map *map, const char *status)
{
    struct json_object *object = parse(status);
    bool same = check_is_in_force(map, object);
    json_object_put(object);
    return same;
}

TEST(a_map_is_in_force_when_address_and_runtimes_are_the_same)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map_source source = {
        .path = "test",
        .text = "listen: unix:///run/c.sock\nruntimes:\n  - {name: a, endpoint: \"unix:///a.sock\", primary: true}\n"
                "  - {name: b, endpoint: \"unix:///b.sock\"}\n",
    };
    struct runtime_map *map = runtime_map_load_from(&source, &problems);
    assert_non_null(map);
#define A "{\"name\": \"a\", \"endpoint\": \"unix:///a.sock\"}"
#define B "{\"name\": \"b\", \"endpoint\": \"unix:///b.sock\"}"
    assert_true(in_force(map, "{\"listen\": \"unix:///run/c.sock\", \"runtimes\": [" A ", " B "]}"));
    assert_false(in_force(map, "{\"listen\": \"unix:///run/d.sock\", \"runtimes\": [" A ", " B "]}"));
    assert_false(in_force(map, "{\"listen\": \"unix:///run/c.sock\", \"runtimes\": [" A "]}"));
    assert_false(in_force(map, "{\"listen\": \"unix:///run/c.sock\", \"runtimes\": [" B ", " A "]}"));
    assert_false(in_force(map, "{\"listen\": \"unix:///run/c.sock\", \"runtimes\": [" A ", "
                               "{\"name\": \"b\", \"endpoint\": \"unix:///c.sock\"}]}"));
    assert_false(in_force(map, "{}"));
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
}

/* crigate watch reads it without any rights, whatever the umask of who writes it. */
TEST(a_report_is_read_again_and_all_may_read_it)
{
    char folder[] = "/tmp/verify-test-XXXXXX", path[64];
    struct verify_report report;
    struct error error;
    struct stat status;
    struct json_object *object = parse("{\"ok\":true,\"checks\":[{\"name\":\"unit\",\"state\":\"ok\",\"detail\":\"active\"}]}");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/new/verify.json", folder);
    mode_t mask = umask(077);
    bool written = verify_report_write(path, object, &error);
    umask(mask);
    assert_true(written);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0644);
    assert_true(verify_report_read(path, &report, &error));
    assert_true(report.ok);
    assert_in_range(report.age, 0, 60000);
    assert_int_equal(json_object_array_length(report.checks), 1);
    json_object_put(report.checks);
    json_object_put(object);
    unlink(path);
    snprintf(path, sizeof path, "%s/new", folder);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
    rmdir(path);
    assert_int_equal(rmdir(folder), 0);
}
