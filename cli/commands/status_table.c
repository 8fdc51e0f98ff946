#include "cli/commands/status_table.h"

#include <stdbool.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "base/options/table.h"
#include "core/control/crigate_status.h"
#include "core/control/protocol.h"
#include "core/map/socket.h"

static const struct table_column columns[] = {
    {"NAME", "name", table_text, false},
    {"ROLE", "role", table_text, false},
    {"DIALECT", "dialect", table_text, false},
    {"STATE", "state", table_text, false},
    {"SINCE", "sinceMilliseconds", table_time, true},
    {"PODS", "pods", table_count, true},
    {"CALLS", "calls", table_count, true},
    {"OLDEST", "oldestCallMilliseconds", table_duration, true},
    {"LISTS", "lastKnownAgeMilliseconds", table_time, true},
    {"NOTE", "note", table_text, false},
};
static const struct table table = {columns, sizeof columns / sizeof columns[0]};

/* ---- losses ---- */

/* A member of a runtime as text; empty when it is missing. */
static void cell_of(struct json_object *runtime, const char *member, char *cell)
{
    struct json_object *value = json_member(runtime, member);
    cell[0] = '\0';
    if (value) {
        table_text(value, cell);
    }
}

/* The fields and counts under a key of the runtime, behind what they mean; nothing without any. */
static void print_counts(struct json_object *runtime, const char *key, const char *meaning, FILE *out)
{
    char name[TABLE_CELL_SIZE];
    const char *between = "";
    struct json_object *fields = json_member(runtime, key);
    if (!json_object_is_type(fields, json_type_object) || json_object_object_length(fields) == 0) {
        return;
    }
    cell_of(runtime, "name", name);
    fprintf(out, "\n%s: %s: ", name, meaning);
    json_object_object_foreach(fields, field, times)
    {
        fprintf(out, "%s%s %lld", between, field, (long long)json_object_get_int64(times));
        between = ", ";
    }
    putc('\n', out);
}

static void print_items(struct json_object *runtime, FILE *out)
{
    char name[TABLE_CELL_SIZE], reason[TABLE_CELL_SIZE];
    cell_of(runtime, "name", name);
    cell_of(runtime, "itemsLeftOutBecause", reason);
    struct json_object *items = json_member(runtime, "itemsLeftOut");
    if (json_object_get_int64(items) > 0 && reason[0]) {
        fprintf(out, "\n%s: items left out of its answers: %lld so far; the first: %s\n", name,
                (long long)json_object_get_int64(items), reason);
    }
}

static void print_losses(struct json_object *runtimes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        print_counts(runtime, "letThrough", "fields lost, as translation in the runtime map allows", out);
        print_counts(runtime, "ignored", "fields that it accepts in requests but ignores", out);
        print_items(runtime, out);
    }
}

/* ---- where streams are ---- */

/* Those that crigate has chosen itself. */
static void print_stream_urls(struct json_object *runtimes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        char name[TABLE_CELL_SIZE], url[TABLE_CELL_SIZE], from[TABLE_CELL_SIZE];
        cell_of(runtime, "name", name);
        cell_of(runtime, "streamUrl", url);
        cell_of(runtime, "streamUrlFrom", from);
        if (strcmp(from, "default route") == 0) {
            fprintf(out, "\n%s: bare paths of Exec, Attach and PortForward lead to %s, the address of the default route\n", name,
                    url);
        }
    }
}

/* Where `docker` leads, and why it is not ready: that is longer than a cell. */
static void print_docker(struct json_object *runtimes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        char name[TABLE_CELL_SIZE], resolved[TABLE_CELL_SIZE];
        const char *note = command_text_member(runtime, "note");
        cell_of(runtime, "name", name);
        cell_of(runtime, "resolvedEndpoint", resolved);
        if (!docker_is_meant(command_text_member(runtime, "endpoint"))) {
            continue;
        }
        fprintf(out, "\n%s: endpoint docker is %s", name, resolved[0] ? resolved : "nowhere yet");
        fputs(note[0] ? ": " : "", out);
        command_print_text(note, out);
        putc('\n', out);
    }
}

static int64_t number_of(struct json_object *object, const char *key)
{
    return json_object_get_int64(json_member(object, key));
}

/* Because of one runtime. */
static void print_failing_lists(struct json_object *runtimes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        char name[TABLE_CELL_SIZE], method[TABLE_CELL_SIZE];
        cell_of(runtime, "name", name);
        cell_of(runtime, "failingList", method);
        if (method[0]) {
            fprintf(out, "\n%s: %s fails there, and so for the whole node\n", name, method);
        }
    }
}

/* If there is an audit file. */
static void print_audit(struct json_object *status, FILE *out)
{
    struct json_object *audit = json_member(status, "audit");
    if (audit) {
        fputs("\naudit: ", out);
        command_print_text(command_text_member(audit, "path"), out);
        fprintf(out, "%s, %" PRId64 " lines lost\n",
                json_object_get_boolean(json_member(audit, "open")) ? "" : ", which is not open", number_of(audit, "lost"));
    }
}

/* If they should be served, and are not. */
static void print_metrics(struct json_object *status, FILE *out)
{
    struct json_object *problem = json_member(json_member(status, CONTROL_METRICS), "problem");
    if (problem) {
        fputs("\nmetrics: not served: ", out);
        command_print_text(command_text(problem), out);
        putc('\n', out);
    }
}

/* Why something does not work, if the status has that. */
static void print_reason(struct json_object *status, const char *key, const char *what, FILE *out)
{
    const char *why = command_text_member(status, key);
    if (*why) {
        fprintf(out, "\n%s: ", what);
        command_print_text(why, out);
        putc('\n', out);
    }
}

/* By plugins whose failures count, and that fail. */
static void print_refusing(struct json_object *hooks, FILE *out)
{
    struct json_object *names = json_member(hooks, "refusing");
    size_t count = json_count(names);
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "\nCalls are refused because of plugins (policy Fail): " : ", ", out);
        command_print_text(command_text(json_object_array_get_idx(names, i)), out);
    }
    if (count > 0) {
        fputs("; crigate hooks prints their last errors\n", out);
    }
}

/* If hooks are on. */
static void print_hooks(struct json_object *status, FILE *out)
{
    struct json_object *hooks = json_member(status, "hooks");
    if (hooks) {
        fprintf(
            out,
            "\nhooks: %" PRId64 " plugins, %" PRId64 " not ready; %" PRId64 " calls, %" PRId64 " failures; see crigate hooks\n",
            number_of(hooks, "plugins"), number_of(hooks, "notReady"), number_of(hooks, "calls"), number_of(hooks, "failures"));
        print_refusing(hooks, out);
    }
}

/* ---- who calls ---- */

static const struct table_column caller_columns[] = {
    {"PID", "pid", table_count, true},     {"UID", "uid", table_count, true},          {"PROGRAM", "program", table_text, false},
    {"CALLS", "calls", table_count, true}, {"LAST", "last_call_ms", table_time, true}, {"SOCKET", "socket", table_text, false},
};
/* Without the last column if there is only one socket. */
static const struct table caller_tables[] = {
    {caller_columns, sizeof caller_columns / sizeof caller_columns[0] - 1},
    {caller_columns, sizeof caller_columns / sizeof caller_columns[0]},
};

static const struct table_column socket_columns[] = {
    {"ADDRESS", "address", table_text, false},
    {"ACCESS", "access", table_text, false},
    {"CONNECTIONS", "connections", table_count, true},
    {"CALLS", "calls", table_count, true},
};
static const struct table socket_table = {socket_columns, sizeof socket_columns / sizeof socket_columns[0]};

static bool has_several_sockets(struct json_object *status)
{
    return json_count(json_member(status, "sockets")) > 1;
}

static void print_sockets(struct json_object *status, FILE *out)
{
    if (has_several_sockets(status)) {
        fputs("\nsockets:\n", out);
        table_print(&socket_table, json_member(status, "sockets"), out);
    }
}

static void print_callers(struct json_object *status, FILE *out)
{
    bool outside = false;
    struct json_object *callers = json_member(status, "callers");
    size_t count = json_count(callers);
    if (count == 0) {
        return;
    }
    struct json_object *shown = json_object_new_array();
    for (size_t i = 0; i < count && i < STATUS_TABLE_CALLERS; i++) {
        struct json_object *caller = json_object_array_get_idx(callers, i);
        outside = outside || number_of(caller, "pid") == 0;
        json_append(shown, json_object_get(caller));
    }
    fputs("\nconnections of callers:\n", out);
    table_print(&caller_tables[has_several_sockets(status)], shown, out);
    if (count > STATUS_TABLE_CALLERS) {
        fprintf(out, "and %zu more; crigate status -o json prints all\n", count - STATUS_TABLE_CALLERS);
    }
    if (outside) {
        fputs("PID 0: a process outside of crigate's PID namespace\n", out);
    }
    json_object_put(shown);
}

void status_table_print(struct json_object *status, FILE *out)
{
    struct json_object *runtimes = crigate_status_peers(status);
    size_t count = json_count(runtimes);
    table_print(&table, runtimes, out);
    print_failing_lists(runtimes, count, out);
    print_reason(status, CONTROL_UNREACHABLE, "Callers cannot connect", out);
    print_reason(status, "refusesCalls", "New calls are refused", out);
    print_docker(runtimes, count, out);
    print_losses(runtimes, count, out);
    print_stream_urls(runtimes, count, out);
    json_object_put(runtimes);
    print_hooks(status, out);
    print_audit(status, out);
    print_metrics(status, out);
    print_sockets(status, out);
    print_callers(status, out);
}
