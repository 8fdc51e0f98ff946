/* What all subcommands print in one way: wrong arguments, JSON, and text from elsewhere. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints "crigate COMMAND: TEXT; see crigate COMMAND --help" on standard error. Returns EX_USAGE, for the process to exit with.
   `command` is NULL for crigate itself. */
int command_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What -o can ask for. */
enum command_output {
    COMMAND_OUTPUT_TEXT,
    COMMAND_OUTPUT_JSON,
    COMMAND_OUTPUT_PROMETHEUS, /* of few commands */
};

/* Prints an object and the end of a line. false when not all of it could be written, or memory was too short to make it, which is
   said on standard error: a script that reads the exit status alone must not take half of a text for the whole. */
bool command_print_json(struct json_object *json, bool compact);

/* Whether all of standard output could be written. Flushes it. */
bool command_is_printed(void);

/* A value, or a member of an object, as text, which lives as long as that does not change; "" when it is missing or null. */
const char *command_text(struct json_object *value);
const char *command_text_member(struct json_object *object, const char *name);

/* Prints text from elsewhere, without what could control a terminal: each control character (of C0 and C1, and DEL) and each byte
   that is not UTF-8 becomes "?". */
void command_print_text(const char *text, FILE *out);

/* The same for an array of texts, one a line. Nothing for anything else. */
void command_print_lines(struct json_object *lines, FILE *out);
