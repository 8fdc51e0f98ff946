/* What `crigate verify` has found: a line for each check. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/bytes/arena.h"

enum check_state {
    CHECK_OK,
    CHECK_UNKNOWN, /* it cannot be determined from here, which alone is not a fault */
    CHECK_WARNING, /* it works now, but there is a problem */
    CHECK_WRONG,
    CHECK_STATE_COUNT,
};

struct check {
    const char *name; /* "unit", "kubelet's calls" */
    enum check_state state;
    const char *detail;
    const char *next; /* what to do; NULL: nothing */
};

#define CHECKS_MOST 64

/* Zero-initialised except for the arena, it is empty. */
struct findings {
    struct arena *arena;
    struct check checks[CHECKS_MOST];
    size_t count;
};

/* A text in the arena; never NULL. */
const char *findings_text(struct findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a check. Texts must live as long as the findings. */
void findings_add(struct findings *findings, const char *name, enum check_state state, const char *detail, const char *next);

/* The worst state of all. */
enum check_state findings_state(const struct findings *findings);

/* Whether no problem was found. */
bool findings_are_good(const struct findings *findings);

/* A line for each check: state, name, detail, and what to do. Text from outside cannot control the terminal. */
void findings_print(const struct findings *findings, FILE *out);

/* {"ok": false, "checks": [{"name", "state", "detail", "next"}]}; `next` is null where there is nothing to do. The caller owns
   it. */
struct json_object *findings_json(const struct findings *findings);
