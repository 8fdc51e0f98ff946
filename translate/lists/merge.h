/* Trims the answers of several runtimes so that, joined, they are one valid answer: duplicates appear once, and what is true of
   one runtime only is not reported for all. */
#pragma once

#include "base/bytes/arena.h"
#include "translate/schema/method.h"

/* One runtime's answer, in the caller's dialect and with the caller's names. */
struct merge_part {
    struct bytes response; /* trimmed in place; new bytes are in the arena */
    bool changed;          /* output: whether trimming changed it */
    size_t runtime;        /* for merge_serves */
};

/* Whether crigate would create a pod with that RuntimeClass handler, by the caller's name, on that runtime. */
typedef bool merge_serves(void *state, size_t runtime, struct bytes handler);

/* The handler with that index among those that crigate knows to lead to that runtime, by the caller's name; "" is the default
   one. false: there are no more. */
typedef bool merge_handler_at(void *state, size_t runtime, size_t index, struct bytes *handler);

struct merging {
    const struct method *method;
    enum dialect dialect; /* of the caller */
    struct arena *arena;
    merge_serves *serves;         /* for MERGE_STATUS */
    merge_handler_at *handler_at; /* for MERGE_STATUS */
    void *state;
};

/* Whether callers of that dialect get anything from other runtimes' answers: handlers and features exist since v1. */
bool merge_takes_others(const struct method *method, enum dialect dialect);

/* Trims the answers, the primary's first, so that joined they are one answer:
   - MERGE_STATUS: the primary's, with the handlers that each runtime serves and the features that all of them have. A runtime
     that reports no features has none. One that reports no handlers has those that lead to it, without features: it is older
     than the field, and a handler that is missing in a list of others looks like one that does not work.
   - MERGE_FILESYSTEMS: each filesystem once, the primary's first; filesystems of containers only if the primary reports some,
     because kubelets take them as a sign that containers have a filesystem of their own.
   - MERGE_DESCRIPTORS: each metric once, as the first runtime describes it.
   Answers of other methods stay unchanged. A malformed answer is trimmed up to the malformed place. false: out of memory. */
bool merge_trim(const struct merging *merging, struct merge_part *parts, size_t count);
