#include "base/json/read.h"
#include "node/preflight/report.h"

#include <string.h>

#include "base/json/build.h"
#include "base/options/output.h"
#include "base/options/table.h"

static void print_line(const char *name, const char *value, FILE *out)
{
    fprintf(out, "  %-18s ", name);
    command_print_text(value[0] ? value : "-", out);
    putc('\n', out);
}

/* ---- the kubelet ---- */

static void print_setting(const char *name, struct json_object *setting, FILE *out)
{
    const char *value = command_text_member(setting, "value");
    fprintf(out, "  %-18s ", name);
    command_print_text(value[0] ? value : "not set", out);
    if (value[0]) {
        fputs(", by ", out);
        command_print_text(command_text_member(setting, "origin"), out);
    }
    putc('\n', out);
}

static void print_kubelet(struct json_object *kubelet, FILE *out)
{
    static const struct {
        const char *heading, *member;
    } lines[] = {
        {"version", "version"}, {"program", "program"},          {"layout", "layout"},
        {"unit", "unit"},       {"configuration", "configFile"}, {"drop-ins", "configFolder"},
    };
    fputs("KUBELET\n", out);
    if (!kubelet) {
        fputs("  none that is clearly this node's\n", out);
        return;
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        print_line(lines[i].heading, command_text_member(kubelet, lines[i].member), out);
    }
    const char *pid = command_text_member(kubelet, "pid");
    print_line("pid", strcmp(pid, "0") == 0 ? "not running" : pid, out);
    print_setting("container runtime", json_member(kubelet, "containerRuntime"), out);
    print_setting("runtime endpoint", json_member(kubelet, "runtimeEndpoint"), out);
    print_setting("image endpoint", json_member(kubelet, "imageEndpoint"), out);
    print_setting("cgroup driver", json_member(kubelet, "cgroupDriver"), out);
    if (command_text_member(json_member(kubelet, "runtimeEndpoint"), "value")[0] == '\0') {
        print_line("so it calls", command_text_member(kubelet, "endpoint"), out);
    }
}

static void print_candidates(struct json_object *candidates, FILE *out)
{
    static const struct table_column columns[] = {
        {"PID", "pid", table_count, true},
        {"PROGRAM", "program", table_text, false},
        {"WHY NOT", "whyNot", table_text, false},
    };
    static const struct table table = {columns, sizeof columns / sizeof columns[0]};
    if (json_count(candidates) > 0) {
        fputs("\nPROCESSES THAT LOOK LIKE A KUBELET (choose one with --kubelet PID)\n", out);
        table_print(&table, candidates, out);
    }
}

/* ---- runtimes ---- */

static void print_yes(struct json_object *value, char *cell)
{
    snprintf(cell, TABLE_CELL_SIZE, "%s", json_object_get_boolean(value) ? "yes" : "");
}

static void print_runtimes(struct json_object *runtimes, FILE *out)
{
    static const struct table_column columns[] = {
        {"NAME", "name", table_text, false},
        {"ENDPOINT", "endpoint", table_text, false},
        {"KUBELET'S", "present", print_yes, false},
        {"RUNTIME", "runtimeName", table_text, false},
        {"VERSION", "runtimeVersion", table_text, false},
        {"DIALECTS", "dialects", table_words, false},
        {"CGROUPS", "cgroupDriver", table_text, false},
        {"NRI", "nri", print_yes, false},
        {"PODS", "pods", table_count, true},
        {"CONTAINERS", "containers", table_count, true},
        {"PROBLEM", "problem", table_text, false},
    };
    static const struct table table = {columns, sizeof columns / sizeof columns[0]};
    fputs("\nRUNTIMES\n", out);
    if (json_count(runtimes) > 0) {
        table_print(&table, runtimes, out);
    } else {
        fputs("  none at a usual socket; name others with --runtime NAME=SOCKET\n", out);
    }
}

/* ---- the rest ---- */

static bool is_zero(struct json_object *object, const char *name)
{
    return json_object_get_int64(json_member(object, name)) == 0;
}

static bool nothing_lost(struct json_object *pair)
{
    return is_zero(pair, "refused") && is_zero(pair, "judged") && is_zero(pair, "leftOut") && is_zero(pair, "answersLeftOut") &&
           is_zero(pair, "lackingRpcs");
}

static void print_translation(struct json_object *pair, FILE *out)
{
    fprintf(out, "  %-18s from %s (kubelet) to %s (runtime): ", "translation", command_text_member(pair, "caller"),
            command_text_member(pair, "runtime"));
    if (nothing_lost(pair)) {
        fputs("nothing is lost\n", out);
    } else {
        fprintf(out, "in requests %s fields refused, %s judged by their value, %s left out;\n",
                command_text_member(pair, "refused"), command_text_member(pair, "judged"), command_text_member(pair, "leftOut"));
        fprintf(out, "  %-18s in answers %s left out; %s RPCs that the runtime lacks\n", "",
                command_text_member(pair, "answersLeftOut"), command_text_member(pair, "lackingRpcs"));
    }
    if (!is_zero(pair, "ignoredRefused") || !is_zero(pair, "ignored")) {
        fprintf(out, "  %-18s by this release, although its dialect has them: %s fields, which crigate refuses; %s, which pass\n",
                "ignored", command_text_member(pair, "ignoredRefused"), command_text_member(pair, "ignored"));
    }
}

static void print_node(struct json_object *report, FILE *out)
{
    struct json_object *pair = json_member(report, "translation");
    const char *cgroup = command_text_member(report, "cgroup");
    fputs("\nNODE\n", out);
    if (pair) { /* first: it is why one is here */
        bool direct = json_object_get_boolean(json_member(pair, "direct"));
        print_line("without crigate",
                   direct ? "kubelet and runtime understand each other"
                          : "the kubelet would stop: it and its runtime do not understand each other",
                   out);
    }
    fprintf(out, "  %-18s %s%s\n", "cgroups", cgroup[0] ? "v" : "not known", cgroup);
    if (pair) {
        print_translation(pair, out);
    }
}

static void print_change(struct json_object *change, FILE *out)
{
    fputs("  ", out);
    command_print_text(command_text_member(change, "file"), out);
    fputs(": ", out);
    command_print_text(command_text_member(change, "why"), out);
    putc('\n', out);
    fputs(command_text_member(change, "diff"), out); /* text_diff_print has removed control characters */
}

static void print_docker(struct json_object *docker, FILE *out)
{
    if (docker) {
        fprintf(out, "  %s is enabled, and runs %s instead of the Docker that is built into the kubelet\n",
                command_text_member(docker, "unit"), command_text_member(docker, "runs"));
        print_change(json_member(docker, "environment"), out);
    }
}

static bool is_impossible(struct json_object *report)
{
    return strcmp(command_text_member(report, "fitness"), "impossible") == 0;
}

static void print_install(struct json_object *report, FILE *out)
{
    struct json_object *plan = json_member(report, "install");
    struct json_object *changes = json_member(plan, "changes");
    if (plan && !is_impossible(report)) {
        const char *callers = command_text_member(plan, "callers");
        fprintf(out, "\nCHANGES BY crigate install\n  the runtime map has %s as its primary, and listens on ",
                json_member(plan, "docker") ? "cri-dockerd" : "the kubelet's runtime");
        command_print_text(command_text_member(plan, "endpoint"), out);
        fprintf(out, "%s%s\n", callers[0] ? ", for callers of " : "", callers);
        print_docker(json_member(plan, "docker"), out);
        fputs("  crigate.service is enabled, and runs\n", out);
        for (size_t i = 0; i < json_count(changes); i++) {
            print_change(json_object_array_get_idx(changes, i), out);
        }
        if (json_count(changes) == 0) {
            fputs("  the kubelet's files do not change\n", out);
        }
    }
    if (json_count(json_member(plan, "byHand")) > 0) {
        fputs("\nBY HAND\n", out);
        command_print_lines(json_member(plan, "byHand"), out);
    }
}

static void print_remarks(const char *heading, struct json_object *lines, FILE *out)
{
    if (json_count(lines) > 0) {
        fprintf(out, "\n%s\n", heading);
        command_print_lines(lines, out);
    }
}

/* A line for each reason: together they are too long to be read in one. */
static void print_verdict(struct json_object *report, FILE *out)
{
    struct json_object *lines = json_member(report, is_impossible(report) ? "reasons" : "warnings");
    if (json_count(lines) == 0) {
        putc('\n', out);
        command_print_text(command_text_member(report, "verdict"), out);
        putc('\n', out);
        return;
    }
    fputs(is_impossible(report) ? "\nnot possible:\n" : "\nfit, with warnings:\n", out);
    for (size_t i = 0; i < json_count(lines); i++) {
        fputs("- ", out);
        command_print_text(command_text(json_object_array_get_idx(lines, i)), out);
        putc('\n', out);
    }
}

void report_print(struct json_object *report, FILE *out)
{
    print_kubelet(json_member(report, "kubelet"), out);
    if (!json_member(report, "kubelet")) {
        print_candidates(json_member(report, "candidates"), out);
    }
    print_runtimes(json_member(report, "runtimes"), out);
    print_node(report, out);
    print_install(report, out);
    if (is_impossible(report)) {
        print_remarks("WARNINGS", json_member(report, "warnings"), out); /* else they are in the verdict */
    }
    print_remarks("NOTES", json_member(report, "notes"), out);
    print_verdict(report, out);
}
