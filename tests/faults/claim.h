/* What the gateway claimed, held against the truth some time later, when the runtimes' journals tell it. Thread-safe, except
   claim_check. */
#pragma once

#include "tests/faults/truth.h"

/* A list that was answered OK. An empty text means no filter. */
struct claim_list {
    enum thing_kind kind;
    int64_t began;
    int64_t ended;
    char uid[TRUTH_UID_SIZE];
    char pod[TRUTH_ID_SIZE];
    char id[TRUTH_ID_SIZE];
    char (*ids)[TRUTH_ID_SIZE]; /* taken over */
    size_t count;
};

void claim_list(const struct claim_list *list);

/* A thing was made on that runtime: the call ended with that id. */
void claim_made(const char *id, unsigned runtime, int64_t began, int64_t ended);
/* It was removed. */
void claim_removed(const char *id, int64_t began, int64_t ended);
/* It was said not to be there. */
void claim_absent(const char *id, const char *method, int64_t began, int64_t ended);

/* The call of that number failed because of its hooks. */
void claim_refused(unsigned number, int64_t began, int64_t ended);

/* Checks all claims that ended before that time; the truth must have been read up to then. */
void claim_check(struct truth *truth, int64_t until);

/* "lists 1200, of 70 things at most, ...": what was checked so far. */
void claim_print(FILE *out);
