/* What pods and containers there are, and when: read from the journals that the runtimes write as they go. One thread's. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/faults/node.h"

#define TRUTH_ID_SIZE 80 /* as callers see it: prefix and id */
#define TRUTH_UID_SIZE 48

enum thing_kind {
    THING_POD,
    THING_CONTAINER,
};

struct thing {
    enum thing_kind kind;
    char id[TRUTH_ID_SIZE];
    char pod[TRUTH_ID_SIZE];  /* of a container */
    char uid[TRUTH_UID_SIZE]; /* of the pod, or of the container's; "" when that is not known */
    unsigned runtime;
    int64_t made;       /* it was there from then on, as event_now ... */
    int64_t gone;       /* ... and until then; INT64_MAX while it is there */
    unsigned call;      /* number of the call that made it; 0 when that is not known */
    int64_t seen;       /* when a list had it for the first time; INT64_MAX: none yet */
    struct thing *next; /* in its bucket */
};

struct truth;

/* Gets each call that the journal of a runtime has, when all that it changed is known. */
typedef void truth_call(void *state, unsigned runtime, const char *method, struct json_object *line);

/* `on_call` may be NULL. */
struct truth *truth_new(const struct node *node, truth_call *on_call, void *state);
void truth_free(struct truth *truth);

/* Reads what the journals have grown by. What they show to be wrong becomes a violation: a changing call that was executed twice,
   a call for something that another runtime holds. */
void truth_read(struct truth *truth);

/* Checks what can only be told when all journals have been read up to that time. */
void truth_check_until(struct truth *truth, int64_t time);

/* The thing with that id, NULL when there never was one. */
const struct thing *truth_find(const struct truth *truth, const char *id);

size_t truth_count(const struct truth *truth);
const struct thing *truth_at(const struct truth *truth, size_t index);

/* Whether it was there all the time from `began` to `ended`. */
bool thing_was_there(const struct thing *thing, int64_t began, int64_t ended);

/* The same for what a caller can know: from the end of the call that made it, however that ended, or from when it was seen. */
bool thing_was_known(const struct thing *thing, int64_t began, int64_t ended);

/* The gateway answered at that time that the call of that number must not go to a runtime: that it went there anyway is a
   violation, now or when a journal shows it. */
void truth_refused(struct truth *truth, unsigned number, int64_t at);

/* The thing of that runtime that has this own id; NULL when there never was one. */
const struct thing *truth_find_own(const struct truth *truth, unsigned runtime, const char *id);

/* It was in a list that ended then. */
void truth_saw(struct truth *truth, const char *id, int64_t ended);
