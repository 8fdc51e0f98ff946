#include "core/commands/status_table.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define CELL_SIZE 256

struct column {
    const char *heading;
    const char *member;
    void (*print)(struct json_object *value, char *cell);
    bool right; /* numbers */
};

/* ---- cells ---- */

static void print_text(struct json_object *value, char *cell)
{
    snprintf(cell, CELL_SIZE, "%s", json_object_get_string(value));
    for (char *c = cell; *c; c++) {
        if (iscntrl((unsigned char)*c)) {
            *c = '?';
        }
    }
}

static void print_count(struct json_object *value, char *cell)
{
    snprintf(cell, CELL_SIZE, "%lld", (long long)json_object_get_int64(value));
}

/* From milliseconds, in two units at most: 34s, 5m12s, 3h5m, 2d4h. */
static void print_time(struct json_object *value, char *cell)
{
    long long seconds = json_object_get_int64(value) / 1000;
    long long minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
    if (seconds < 60) {
        snprintf(cell, CELL_SIZE, "%llds", seconds);
    } else if (minutes < 60) {
        snprintf(cell, CELL_SIZE, "%lldm%llds", minutes, seconds % 60);
    } else if (hours < 24) {
        snprintf(cell, CELL_SIZE, "%lldh%lldm", hours, minutes % 60);
    } else {
        snprintf(cell, CELL_SIZE, "%lldd%lldh", days, hours % 24);
    }
}

/* Of a call; empty without one. */
static void print_duration(struct json_object *value, char *cell)
{
    if (json_object_get_int64(value) > 0) {
        print_time(value, cell);
    } else {
        cell[0] = '\0';
    }
}

static const struct column columns[] = {
    {"NAME", "name", print_text, false},
    {"ROLE", "role", print_text, false},
    {"DIALECT", "dialect", print_text, false},
    {"STATE", "state", print_text, false},
    {"SINCE", "sinceMilliseconds", print_time, true},
    {"PODS", "pods", print_count, true},
    {"CALLS", "calls", print_count, true},
    {"OLDEST", "oldestCallMilliseconds", print_duration, true},
    {"LISTS", "lastKnownAgeMilliseconds", print_time, true},
    {"NOTE", "note", print_text, false},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

/* ---- the table ---- */

/* A cell in a runtime's line; NULL: in the headings. */
static void fill_cell(const struct column *column, struct json_object *runtime, char *cell)
{
    struct json_object *value;
    cell[0] = '\0';
    if (!runtime) {
        snprintf(cell, CELL_SIZE, "%s", column->heading);
    } else if (json_object_object_get_ex(runtime, column->member, &value) && value) {
        column->print(value, cell);
    }
    if (cell[0] == '\0') {
        snprintf(cell, CELL_SIZE, "-");
    }
}

static void print_line(struct json_object *runtime, const int *widths, FILE *out)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        char cell[CELL_SIZE];
        fill_cell(&columns[i], runtime, cell);
        bool last = i + 1 == COLUMNS;
        fprintf(out, "%*s%s", last ? 0 : (columns[i].right ? widths[i] : -widths[i]), cell, last ? "\n" : "   ");
    }
}

static void widen(int *widths, struct json_object *runtime)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        char cell[CELL_SIZE];
        fill_cell(&columns[i], runtime, cell);
        int width = (int)strlen(cell);
        widths[i] = width > widths[i] ? width : widths[i];
    }
}

/* ---- losses ---- */

/* A member of a runtime as text; empty when it is missing. */
static void cell_of(struct json_object *runtime, const char *member, char *cell)
{
    struct json_object *value = NULL;
    cell[0] = '\0';
    if (json_object_object_get_ex(runtime, member, &value)) {
        print_text(value, cell);
    }
}

/* "MESSAGE.FIELD TIMES, ..." of a member of a runtime. */
static void print_let_through(struct json_object *runtime, struct json_object *fields, FILE *out)
{
    const char *between = "";
    char name[CELL_SIZE];
    cell_of(runtime, "name", name);
    fprintf(out, "\n%s: fields lost, as translation in the runtime map allows: ", name);
    json_object_object_foreach(fields, field, times)
    {
        fprintf(out, "%s%s %lld", between, field, (long long)json_object_get_int64(times));
        between = ", ";
    }
    putc('\n', out);
}

static void print_items(struct json_object *runtime, FILE *out)
{
    struct json_object *items = NULL;
    char name[CELL_SIZE], reason[CELL_SIZE];
    cell_of(runtime, "name", name);
    cell_of(runtime, "itemsLeftOutBecause", reason);
    json_object_object_get_ex(runtime, "itemsLeftOut", &items);
    if (json_object_get_int64(items) > 0 && reason[0]) {
        fprintf(out, "\n%s: items left out of its answers: %lld so far; the first: %s\n", name,
                (long long)json_object_get_int64(items), reason);
    }
}

static void print_losses(struct json_object *runtimes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        struct json_object *fields = NULL;
        json_object_object_get_ex(runtime, "letThrough", &fields);
        if (json_object_is_type(fields, json_type_object) && json_object_object_length(fields) > 0) {
            print_let_through(runtime, fields, out);
        }
        print_items(runtime, out);
    }
}

/* ---- where streams are ---- */

/* Those that crigate has chosen itself. */
static void print_stream_urls(struct json_object *runtimes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        char name[CELL_SIZE], url[CELL_SIZE], from[CELL_SIZE];
        cell_of(runtime, "name", name);
        cell_of(runtime, "streamUrl", url);
        cell_of(runtime, "streamUrlFrom", from);
        if (strcmp(from, "default route") == 0) {
            fprintf(out, "\n%s: bare paths of Exec, Attach and PortForward lead to %s, the address of the default route\n", name,
                    url);
        }
    }
}

void status_table_print(struct json_object *status, FILE *out)
{
    int widths[COLUMNS] = {0};
    struct json_object *runtimes = NULL;
    json_object_object_get_ex(status, "runtimes", &runtimes);
    size_t count = json_object_is_type(runtimes, json_type_array) ? json_object_array_length(runtimes) : 0;
    widen(widths, NULL);
    for (size_t i = 0; i < count; i++) {
        widen(widths, json_object_array_get_idx(runtimes, i));
    }
    print_line(NULL, widths, out);
    for (size_t i = 0; i < count; i++) {
        print_line(json_object_array_get_idx(runtimes, i), widths, out);
    }
    print_losses(runtimes, count, out);
    print_stream_urls(runtimes, count, out);
}
