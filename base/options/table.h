/* Objects as a table for people: a line for each object, a column for each member. Text from outside cannot control the terminal.
 */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

#define TABLE_CELL_SIZE 256
#define TABLE_MOST_COLUMNS 16

struct table_column {
    const char *heading;
    const char *member;                                   /* of each object; a missing one, and an empty cell, is a "-" */
    void (*print)(struct json_object *value, char *cell); /* one of those below */
    bool right;                                           /* numbers */
};

struct table {
    const struct table_column *columns;
    size_t count; /* at most TABLE_MOST_COLUMNS */
};

/* Write a value to a cell of TABLE_CELL_SIZE bytes. */
void table_text(struct json_object *value, char *cell);
void table_count(struct json_object *value, char *cell);
void table_time(struct json_object *value, char *cell);         /* milliseconds, in two units at most: 34s, 5m12s, 3h5m, 2d4h */
void table_duration(struct json_object *value, char *cell);     /* likewise; nothing for 0 */
void table_microseconds(struct json_object *value, char *cell); /* 950us, 1.2ms, 2.0s; nothing for 0 */
void table_words(struct json_object *value, char *cell);        /* an array of texts, with commas */

/* Prints headings and a line for each object of an array; only the headings for anything else. */
void table_print(const struct table *table, struct json_object *rows, FILE *out);
