/* The answer to `crigate status` as a table for people. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

/* Rows of callers; the rest is counted. */
#define STATUS_TABLE_CALLERS 20

/* One line for each runtime, under headings, and one for each of the callers that called last; see gateway/status.h for the
   members. A missing one is a "-". Text from outside cannot control the terminal. */
void status_table_print(struct json_object *status, FILE *out);
