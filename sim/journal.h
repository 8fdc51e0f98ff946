/* Writes one line of JSON for every call, so that tests can read what a runtime was asked. */
#pragma once

#include <grpc/grpc.h>
#include <stdio.h>

#include "sim/service.h"

struct journal_entry {
    struct bytes path;
    const struct schema_message *request_schema; /* NULL for a method that is not served */
    const struct bytes *request;                 /* NULL if it was not read */
    const grpc_metadata_array *metadata;
    int64_t timeout;     /* milliseconds until the caller's deadline when the call arrived; negative: no deadline */
    const char *code;    /* "OK", another code's name, or "PENDING" for a call without an answer */
    const char *message; /* of a failure, else "" */
    int64_t sent;        /* messages of a streamed list; negative: not a streamed list */
    const char *made;    /* id of the pod or container that the call created, else "" */
};

/* Appends a line with the runtime's content at the start: {"restored": {"pods": [{"id": ID, "metadata": {...}}...], "containers":
   [{"id": ID, "podSandboxId": ID}...]}}. */
void journal_write_restored(FILE *journal, const struct simulation *simulation);

/* Appends the line and flushes it. */
void journal_write(FILE *journal, const struct journal_entry *entry);
