/* Pulls in turn: at most `pulls` of a runtime's map entry are under way at once, and the others wait. Pods are served in the
   order in which the first pull of each came; a pod's own pulls in theirs. A pull without a pod is one of a pod of its own. */
#pragma once

#include <sys/queue.h>

#include "base/system/hash_table.h"
#include "base/system/keyed_hash.h"
#include "core/runtimes/runtime.h"

/* One, in the memory of whoever pulls; zero-initialised. */
struct pull {
    struct pull_queue *queue; /* NULL: it is not counted */
    struct pull_pod *pod;     /* while it waits; NULL: it is under way */
    TAILQ_ENTRY(pull) others;
};

/* Of a runtime, as long as any pull is under way or waits. */
struct pull_queue {
    struct runtime *runtime; /* whose `pulls` points here; referenced */
    unsigned under_way;
    struct hash_key key;
    struct hash_table table; /* of pods that are named */
    TAILQ_HEAD(, pull_pod) pods;
    bool is_due; /* the user's: it is in a list of queues to look at */
    TAILQ_ENTRY(pull_queue) others;
};

/* A pull for the runtime, of the pod with that uid; empty: of none. Whether it may begin now; if not, it waits. Without memory to
   keep the order, it is not counted and begins. */
bool pull_queue_enter(struct pull *pull, struct runtime *runtime, struct bytes uid);

/* Whether one that waits may begin. */
bool pull_queue_has_next(const struct pull_queue *queue);

/* The next one, which is under way from now on. */
struct pull *pull_queue_next(struct pull_queue *queue);

/* A pull has ended, or waits no more. Returns its queue, which stays even if it is idle. */
struct pull_queue *pull_queue_leave(struct pull *pull);

/* Whether no pull is in it, so that it can be freed. */
bool pull_queue_is_idle(const struct pull_queue *queue);
void pull_queue_free(struct pull_queue *queue);
