/* Answers of several runtimes that must be trimmed before they can stand one behind the other as one answer: what two of them
   tell is told once, and what only holds for one of them is not told of all. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/schema/method.h"

/* One runtime's answer, in the caller's dialect and with the caller's names. */
struct merge_part {
    struct bytes response; /* trimmed in place; what is new is in the arena */
    bool changed;          /* by the trimming */
    size_t runtime;        /* for merge_serves */
};

/* Whether a pod for that RuntimeClass handler, as callers name it, would be made on that runtime. */
typedef bool merge_serves(void *state, size_t runtime, struct bytes handler);

struct merging {
    const struct method *method;
    enum dialect dialect; /* of the caller */
    struct arena *arena;
    merge_serves *serves; /* for MERGE_STATUS */
    void *state;
};

/* Whether callers of that dialect learn anything from other runtimes' answers: handlers and features are told since v1. */
bool merge_takes_others(const struct method *method, enum dialect dialect);

/* Trims the answers, of which the first is the primary's, so that in sequence they are one:
   - MERGE_STATUS: the primary's, with the handlers that each runtime serves and the features that all of them have. A runtime
     that tells none has none.
   - MERGE_FILESYSTEMS: each filesystem once, the primary's first; filesystems of containers only where the primary tells some,
     because kubelets take them for a node with a filesystem of its own for them.
   - MERGE_DESCRIPTORS: each metric once, as the first runtime describes it.
   Other methods' answers stay as they are. false: no memory. Answers that are malformed are trimmed up to where they are. */
bool merge_trim(const struct merging *merging, struct merge_part *parts, size_t count);
