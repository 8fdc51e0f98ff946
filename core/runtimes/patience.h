/* Patience with the only runtime of a map. Where nobody else waits, a runtime's budget ends no call: the caller's own deadline
   does. That a call has gone over the budget is noticed all the same, so that the runtime counts as hanging, is told of and is
   probed. */
#ifndef CRIGATE_RUNTIMES_PATIENCE_H
#define CRIGATE_RUNTIMES_PATIENCE_H

#include "core/base/worker.h"

struct runtime;

/* A call that is waited for, embedded in what waits. Zero-initialised, it is not watched. */
struct waiting {
    struct waiting *next, **back; /* back: NULL while it is not watched */
    int64_t began;                /* worker_now() */
};

/* Of a runtime. Zero-initialised but for the timer's event, which is patience_on_timer. */
struct patience {
    struct waiting *oldest, **end; /* in the order in which they began; end: where the next one goes, NULL before the first */
    struct timer timer;            /* a timer a runtime, not one a call: armed at most once in a budget */
};

/* Watches a call that begins now: if it is still watched after the runtime's budget, the runtime hangs (runtime_hangs), and
   whatever is watched by then is let out of sight. Does nothing unless the runtime is ready. `waiting` must live until
   patience_end. */
void patience_begin(struct runtime *runtime, struct waiting *waiting);

/* The call has ended. Does nothing if it was not watched, or not any more. */
void patience_end(struct runtime *runtime, struct waiting *waiting);

/* The runtime goes: nothing is watched any more. */
void patience_stop(struct runtime *runtime);

/* For runtime.c: what the timer runs. */
void patience_on_timer(struct completion *completion, bool ok);

#endif
