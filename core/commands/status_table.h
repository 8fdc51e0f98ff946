/* The answer to `crigate status` as a table for people. */
#ifndef CRIGATE_COMMANDS_STATUS_TABLE_H
#define CRIGATE_COMMANDS_STATUS_TABLE_H

#include <json-c/json.h>
#include <stdio.h>

/* A line a runtime, under headings; see describe.h for what is in it. What is missing is a "-". Text from outside cannot
   steer the terminal. */
void status_table_print(struct json_object *status, FILE *out);

#endif
