#include "base/options/table.h"

#include <string.h>

#include "base/bytes/shown.h"
#include "base/bytes/utf8.h"
#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"

/* ---- cells ---- */

void table_text(struct json_object *value, char *cell)
{
    size_t used = 0;
    for (struct bytes rest = bytes_of_string(command_text(value)); rest.len > 0;) {
        size_t size = utf8_character_size(rest);
        struct bytes part = shown_character(rest, size) ? bytes_of(rest.data, size) : bytes_of_string("?");
        if (used + part.len >= TABLE_CELL_SIZE) {
            break;
        }
        memcpy(cell + used, part.data, part.len);
        used += part.len;
        rest = bytes_after(rest, size > 0 ? size : 1);
    }
    cell[used] = '\0';
}

void table_count(struct json_object *value, char *cell)
{
    snprintf(cell, TABLE_CELL_SIZE, "%lld", (long long)json_object_get_int64(value));
}

void table_time(struct json_object *value, char *cell)
{
    long long seconds = json_object_get_int64(value) / 1000;
    long long minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
    if (seconds < 60) {
        snprintf(cell, TABLE_CELL_SIZE, "%llds", seconds);
    } else if (minutes < 60) {
        snprintf(cell, TABLE_CELL_SIZE, "%lldm%llds", minutes, seconds % 60);
    } else if (hours < 24) {
        snprintf(cell, TABLE_CELL_SIZE, "%lldh%lldm", hours, minutes % 60);
    } else {
        snprintf(cell, TABLE_CELL_SIZE, "%lldd%lldh", days, hours % 24);
    }
}

void table_duration(struct json_object *value, char *cell)
{
    if (json_object_get_int64(value) > 0) {
        table_time(value, cell);
    } else {
        cell[0] = '\0';
    }
}

void table_microseconds(struct json_object *value, char *cell)
{
    long long time = json_object_get_int64(value);
    if (time <= 0) {
        cell[0] = '\0';
    } else if (time < 1000) {
        snprintf(cell, TABLE_CELL_SIZE, "%lldus", time);
    } else if (time < 1000000) {
        snprintf(cell, TABLE_CELL_SIZE, "%lld.%lldms", time / 1000, time / 100 % 10);
    } else {
        snprintf(cell, TABLE_CELL_SIZE, "%lld.%llds", time / 1000000, time / 100000 % 10);
    }
}

void table_words(struct json_object *value, char *cell)
{
    size_t count = json_count(value);
    size_t used = 0;
    cell[0] = '\0';
    for (size_t i = 0; i < count && used < TABLE_CELL_SIZE; i++) {
        char word[TABLE_CELL_SIZE];
        table_text(json_object_array_get_idx(value, i), word);
        used += (size_t)snprintf(cell + used, TABLE_CELL_SIZE - used, "%s%s", i > 0 ? "," : "", word);
    }
}

/* ---- lines ---- */

/* NULL: the heading. */
static void fill_cell(const struct table_column *column, struct json_object *row, char *cell)
{
    struct json_object *value;
    cell[0] = '\0';
    if (!row) {
        snprintf(cell, TABLE_CELL_SIZE, "%s", column->heading);
    } else if ((value = json_member(row, column->member))) {
        column->print(value, cell);
    }
    if (cell[0] == '\0') {
        snprintf(cell, TABLE_CELL_SIZE, "-");
    }
}

static void print_line(const struct table *table, struct json_object *row, const int *widths, FILE *out)
{
    for (size_t i = 0; i < table->count; i++) {
        char cell[TABLE_CELL_SIZE];
        fill_cell(&table->columns[i], row, cell);
        bool last = i + 1 == table->count;
        fprintf(out, "%*s%s", last ? 0 : (table->columns[i].right ? widths[i] : -widths[i]), cell, last ? "\n" : "   ");
    }
}

static void widen(const struct table *table, int *widths, struct json_object *row)
{
    for (size_t i = 0; i < table->count; i++) {
        char cell[TABLE_CELL_SIZE];
        fill_cell(&table->columns[i], row, cell);
        int width = (int)strlen(cell);
        widths[i] = width > widths[i] ? width : widths[i];
    }
}

void table_print(const struct table *table, struct json_object *rows, FILE *out)
{
    int widths[TABLE_MOST_COLUMNS] = {0};
    size_t count = json_count(rows);
    widen(table, widths, NULL);
    for (size_t i = 0; i < count; i++) {
        widen(table, widths, json_object_array_get_idx(rows, i));
    }
    print_line(table, NULL, widths, out);
    for (size_t i = 0; i < count; i++) {
        print_line(table, json_object_array_get_idx(rows, i), widths, out);
    }
}
