/* What is promised of hooks, held against the journals of plugins and runtimes. One thread's. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/faults/history.h"
#include "tests/faults/truth.h"

struct hook_claims;

/* What it gets stays the caller's, and must outlive it. The history may grow. */
struct hook_claims *hook_claims_new(const struct node *node, const struct history *history);
void hook_claims_free(struct hook_claims *claims);

/* To be called for each line of a runtime's journal that is a call, when the truth has it: see truth_call. */
void hook_claims_take_call(struct hook_claims *claims, const struct truth *truth, unsigned runtime, const char *method,
                           struct json_object *line);

/* Reads what was appended to the journals of plugins. */
void hook_claims_read(struct hook_claims *claims);

/* Checks all that ended before that time; all journals must have been read up to then. */
void hook_claims_check(struct hook_claims *claims, int64_t until);

/* A kind of claims that was never checked; NULL: each was. A test without it would prove nothing. */
const char *hook_claims_never_checked(const struct hook_claims *claims);

/* What was checked so far. */
void hook_claims_print(const struct hook_claims *claims, FILE *out);
