#include "cli/commands/hooks_report.h"

#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "base/options/table.h"
#include "core/control/client.h"

static const struct table_column columns[] = {
    {"NAME", "name", table_text, false},
    {"STATE", "shown", table_text, false},
    {"POLICY", "policy", table_text, false},
    {"CALLS", "calls", table_count, true},
    {"FAILURES", "failures", table_count, true},
    {"MEAN", "averageMicroseconds", table_microseconds, true},
    {"LONGEST", "longestMicroseconds", table_microseconds, true},
    {"STAGES", "stages", table_words, false},
};
static const struct table table = {columns, sizeof columns / sizeof columns[0]};

/* An array in the answer; NULL when it is missing or empty. */
static struct json_object *array_member(struct json_object *answer, const char *name)
{
    struct json_object *array = json_member(answer, name);
    return json_count(array) > 0 ? array : NULL;
}

static long long number_member(struct json_object *object, const char *name)
{
    return (long long)json_object_get_int64(json_member(object, name));
}

/* A warning about a file does no harm. */
static bool has_mistake(struct json_object *problems)
{
    size_t count = problems ? json_count(problems) : 0;
    for (size_t i = 0; i < count; i++) {
        if (!strstr(command_text(json_object_array_get_idx(problems, i)), ": warning: ")) {
            return true;
        }
    }
    return false;
}

enum health hooks_report_health(struct json_object *answer)
{
    struct json_object *plugins = array_member(answer, "plugins");
    size_t count = plugins ? json_count(plugins) : 0;
    bool well = !has_mistake(array_member(answer, "problems"));
    for (size_t i = 0; i < count; i++) {
        struct json_object *plugin = json_object_array_get_idx(plugins, i);
        well = well && strcmp(command_text_member(plugin, "state"), "ready") == 0 && !control_flag(plugin, "failing");
    }
    return well ? HEALTH_WELL : HEALTH_DEGRADED;
}

/* ---- as text ---- */

/* Why a plugin is away now; its last error is the result of a hook. */
static void print_reasons(struct json_object *plugins, FILE *out)
{
    for (size_t i = 0; i < json_count(plugins); i++) {
        struct json_object *plugin = json_object_array_get_idx(plugins, i);
        const char *reason = command_text_member(plugin, "reason");
        if (*reason) {
            putc('\n', out);
            command_print_text(command_text_member(plugin, "name"), out);
            fputs(": ", out);
            command_print_text(reason, out);
            putc('\n', out);
        }
    }
}

static void print_last_errors(struct json_object *plugins, FILE *out)
{
    for (size_t i = 0; i < json_count(plugins); i++) {
        struct json_object *plugin = json_object_array_get_idx(plugins, i), *age = NULL;
        const char *error = command_text_member(plugin, "lastError");
        char ago[TABLE_CELL_SIZE];
        if (*error) {
            putc('\n', out);
            command_print_text(command_text_member(plugin, "name"), out);
            age = json_member(plugin, "lastErrorAgeMilliseconds");
            table_time(age, ago);
            fprintf(out, ": last error, %s ago: ", ago);
            command_print_text(error, out);
            putc('\n', out);
        }
    }
}

/* Hooks that run after calls. */
static void print_dropped(struct json_object *answer, FILE *out)
{
    struct json_object *after = json_member(answer, "after");
    long long dropped = after ? number_member(after, "dropped") : 0;
    if (dropped > 0) {
        fprintf(out, "\nhooks that were to run after a call and were dropped, because too many waited: %lld\n", dropped);
    }
}

/* A plugin that is connected and fails its hooks is shown as not ready. */
static void add_shown(struct json_object *plugins)
{
    for (size_t i = 0; i < json_count(plugins); i++) {
        struct json_object *plugin = json_object_array_get_idx(plugins, i);
        const char *state = command_text_member(plugin, "state");
        bool failing = strcmp(state, "ready") == 0 && control_flag(plugin, "failing");
        if (*state) {
            json_add(plugin, "shown", json_object_new_string(failing ? "failing" : state));
        }
    }
}

void hooks_report_print(struct json_object *answer, FILE *out)
{
    struct json_object *plugins = array_member(answer, "plugins"), *problems = array_member(answer, "problems");
    if (!control_flag(answer, "on")) {
        fputs("hooks are off; `hooks: true` in the runtime map switches them on\n", out);
        return;
    }
    if (plugins) {
        add_shown(plugins);
        table_print(&table, plugins, out);
        print_reasons(plugins, out);
        print_last_errors(plugins, out);
    } else {
        fputs("there are no plugins: no valid file in ", out);
        command_print_text(command_text_member(answer, "folder"), out);
        fputs(" names one\n", out);
    }
    print_dropped(answer, out);
    if (problems) {
        fputs("\nProblems in the files that name plugins; the previous content of these files stays in force:\n", out);
        command_print_lines(problems, out);
    }
}
