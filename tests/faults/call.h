/* One call of the kubelet-like client to the gateway, JSON to JSON, counted and timed. Thread-safe. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bytes/error.h"
#include "translate/schema/schema.h"

/* Every call carries a number of its own under this key of its metadata, so that the runtimes' journals tell calls apart. */
#define CALL_NUMBER_KEY "x-call"

struct call_answer {
    unsigned number;
    enum status_code code;
    char message[400];
    struct json_object *response; /* NULL unless OK; see call_answer_clear */
    int64_t began;                /* as event_now */
    int64_t ended;
};

/* All calls go there: "unix:///path". Borrowed. */
void call_set_endpoint(const char *endpoint);

/* A line a call goes to that file when it has ended: "NUMBER METHOD CODE". */
void call_open_log(const char *path);
void call_close_log(void);

/* Makes the call. Takes over the request. `timeout` in milliseconds. */
struct call_answer call_make(enum dialect dialect, const char *method, struct json_object *request, unsigned timeout);
void call_answer_clear(struct call_answer *answer);

/* When the call of that number ended, as event_now; INT64_MAX while it has not, or when there was none. */
int64_t call_ended(unsigned number);

/* When the call of that number began, as event_now; INT64_MIN when there was none. */
int64_t call_began(unsigned number);

/* Whether it was answered OK. */
bool call_succeeded(unsigned number);

/* Milliseconds that it could take at most; 0 when there was none. */
unsigned call_timeout(unsigned number);

/* How many calls of the method there were, and how many were answered OK. */
unsigned call_count(const char *method);
unsigned call_successes(const char *method);

/* A line a method: calls, mean and longest time, and how many ended with which code. */
void call_print_statistics(FILE *out);
