/* The journals of simulated servers: files with a JSON object on each line. */
#pragma once

#include <grpc/grpc.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bytes/bytes.h"
#include "translate/schema/schema.h"

/* Opens the file to append lines, each with one call of the kernel. It may still end with a part of a line, if a process was
   killed while the kernel went from one page of the file to the next: then the part is ended as a separate line. NULL: reported
   on stderr. */
FILE *journal_open(const char *path);

/* Whether a line is such a part, which says nothing. */
bool journal_line_is_part(const char *line);

/* Nanoseconds of the monotonic clock. */
int64_t journal_clock(void);

/* Appends a line, whose reference it takes over, with the time as `at`, and flushes it. */
void journal_append(FILE *journal, struct json_object *line);

/* Adds the message as JSON under `key`; null if `bytes` or `schema` is NULL, or if it is not such a message. */
void journal_put_message(struct json_object *line, const char *key, const struct schema_message *schema,
                         const struct bytes *bytes);

/* Adds a caller's metadata under `metadata`. */
void journal_put_metadata(struct json_object *line, const grpc_metadata_array *metadata);

/* The number of fields in the bytes, at any depth, that the schema does not have. */
uint32_t unknown_field_count(const struct schema_message *schema, struct bytes bytes);
