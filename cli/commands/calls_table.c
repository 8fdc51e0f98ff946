#include "cli/commands/calls_table.h"

#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "base/options/table.h"

/* Runtimes make ids of 64 hexadecimal digits. So many are enough to find one: docker and crictl take the beginning of an id. */
#define DIGITS_SHOWN 12
#define MOST_DIGITS_WHOLE 32

static const struct table_column columns[] = {
    {"ID", "id", table_count, true},          {"METHOD", "method", table_text, false},
    {"STATE", "state", table_text, false},    {"AGE", "ageMilliseconds", table_time, true},
    {"RUNTIME", "shown", table_words, false}, {"PID", "pid", table_count, true},
    {"UID", "uid", table_count, true},        {"PROGRAM", "program", table_text, false},
    {"FOR", "for", table_text, false},
};
static const struct table table = {columns, sizeof columns / sizeof columns[0]};

/* Of those that it waits for, or else of all that it goes to. */
static const char *runtimes_of(struct json_object *call)
{
    return json_count(json_member(call, "waitsFor")) > 0 ? "waitsFor" : "runtimes";
}

/* How much of a name to show: a long id, perhaps behind the name of its runtime, is cut. */
static int shown_of(const char *name)
{
    size_t length = strlen(name), digits = 0;
    while (digits < length && strchr("0123456789abcdef", name[length - digits - 1])) {
        digits++;
    }
    return (int)(digits > MOST_DIGITS_WHOLE ? length - digits + DIGITS_SHOWN : length);
}

/* What the request names: the first of these that it has. */
static void add_subject(struct json_object *call, struct json_object *row)
{
    static const struct {
        const char *key, *word;
    } subjects[] = {{"container", "container"}, {"pod", "pod"}, {"podUid", "pod uid"}, {"image", "image"}};
    char text[TABLE_CELL_SIZE];
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        const char *name = command_text_member(call, subjects[i].key);
        if (*name) {
            snprintf(text, sizeof text, "%s %.*s", subjects[i].word, shown_of(name), name);
            json_add(row, "for", json_object_new_string(text));
            return;
        }
    }
}

/* A call in hooks waits for a plugin: then its name matters. */
static void add_state(struct json_object *call, struct json_object *row)
{
    char text[TABLE_CELL_SIZE];
    const char *plugin = command_text_member(call, "plugin");
    if (*plugin) {
        snprintf(text, sizeof text, "in hook %s", plugin);
        json_add(row, "state", json_object_new_string(text));
    } else {
        json_add_from(call, "state", row, "state");
    }
}

static struct json_object *row_of(struct json_object *call)
{
    static const char *const same[] = {"id", "method", "ageMilliseconds", "pid", "uid", "program"};
    struct json_object *row = json_object_new_object();
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        json_add_from(call, same[i], row, same[i]);
    }
    add_state(call, row);
    json_add_from(call, runtimes_of(call), row, "shown");
    add_subject(call, row);
    return row;
}

void calls_table_print(struct json_object *answer, size_t most, FILE *out)
{
    struct json_object *calls = json_member(answer, "calls");
    size_t count = json_count(calls);
    int64_t total = json_object_get_int64(json_member(answer, "total"));
    if (count == 0) {
        fputs("no call is in progress\n", out);
        return;
    }
    struct json_object *rows = json_object_new_array();
    size_t shown = count < most ? count : most;
    for (size_t i = 0; i < shown; i++) {
        json_append(rows, row_of(json_object_array_get_idx(calls, i)));
    }
    table_print(&table, rows, out);
    json_object_put(rows);
    if (total > (int64_t)shown) {
        fprintf(out, "and %lld more that started later\n", (long long)total - (long long)shown);
    }
}
