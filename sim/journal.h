/* One line of JSON for every call, so that tests can read what a runtime was asked. */
#pragma once

#include <grpc/grpc.h>
#include <stdio.h>

#include "sim/service.h"

struct journal_entry {
    struct bytes path;
    const struct schema_message *request_schema; /* NULL for a method that is not served */
    const struct bytes *request;                 /* NULL when it was not read */
    const grpc_metadata_array *metadata;
    int64_t timeout;     /* milliseconds that the caller gave when the call came; negative: no deadline */
    const char *code;    /* "OK", another code's name, or "PENDING" for a call that is left without an answer */
    const char *message; /* of a failure, else "" */
    int64_t sent;        /* messages of a streamed list; negative: it is none */
    const char *made;    /* id of the pod or container that the call made, else "" */
};

/* Appends a line that says what the runtime holds as it starts: {"restored": {"pods": [{"id": ID, "metadata": {...}}...],
   "containers": [{"id": ID, "podSandboxId": ID}...]}}. */
void journal_write_restored(FILE *journal, const struct simulation *simulation);

/* Appends a line, whose reference it takes over, with the time as `at`, and flushes it. */
void journal_append(FILE *journal, struct json_object *line);

/* Appends the line and flushes it. */
void journal_write(FILE *journal, const struct journal_entry *entry);

/* How many fields in the bytes, at any depth, the schema does not have. */
uint32_t unknown_field_count(const struct schema_message *schema, struct bytes bytes);
