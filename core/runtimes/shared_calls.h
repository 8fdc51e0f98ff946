/* Calls to a runtime whose answers may be shared with equal calls; core/upstream/share.h has the rules. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "core/loop/worker.h"

LIST_HEAD(shared_call_list, shared_call);

/* A call's part in it, embedded in the call. Zero-initialised: none. */
struct shared_call {
    LIST_ENTRY(shared_call) entry;
    struct shared_call_list waiting; /* for the answer of this call */
    bool leads;                      /* others may wait for it: it is in a list of shared_calls */
    bool cancelled;                  /* while it waits: its caller is gone */
    struct timer timer;              /* while it waits: the end of its time */
    uint64_t changes;                /* shared_calls.changes when it began */
};

/* Of a runtime. Zero-initialised: none. */
struct shared_calls {
    struct shared_call_list asking;    /* whose exchange is under way */
    struct shared_call_list composing; /* whose answer is being composed, because the runtime lacks the RPC */
    uint64_t changes;                  /* calls that may have changed its state and have ended */
};
