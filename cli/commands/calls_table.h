/* Calls in progress as a table. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>
#include <stdio.h>

/* Prints a line for each call of an answer to CONTROL_CALLS, after headings; at most `most` calls, and how many more there are.
   If there are none, one line says so. Text from outside cannot control the terminal. */
void calls_table_print(struct json_object *answer, size_t most, FILE *out);
