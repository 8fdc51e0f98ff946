/* Calls that are refused repeatedly because a caller repeats them: they need one line from time to time, not one each. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"

/* Equal refusals within this time have one line. */
#define REPEATS_NS (60 * INT64_C(1000000000))

/* So many different ones are known; the one that was logged first makes room for another. */
#define REPEATS_MOST 32

/* Longer paths are not known: each of their refusals has a line. */
#define REPEATS_PATH 96

struct repeat {
    char path[REPEATS_PATH]; /* "": none */
    unsigned code;
    unsigned target;
    int64_t logged;
    unsigned skipped;
};

/* Zero-initialised. Not safe from two threads at once. */
struct repeats {
    struct repeat items[REPEATS_MOST];
    unsigned used;
};

/* Whether the refusal of a call by that path, with that code, for that target (a number of the caller's choice) has a line now,
   clock_ns(). Then `skipped` gets how many equal ones had none since the last line. */
bool repeats_allow(struct repeats *repeats, struct bytes path, unsigned code, unsigned target, int64_t now, unsigned *skipped);

/* Such a call has succeeded: its next refusal is news. Cheap while there are none. */
void repeats_forget(struct repeats *repeats, struct bytes path);
