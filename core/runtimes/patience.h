/* Patience with the only runtime of a map. Where nobody else waits, a runtime's budget ends no call: the caller's own deadline
   does. That a call has gone over the budget is noticed anyway, so that the runtime counts as hanging, is logged and is
   probed. */
#pragma once

#include "core/loop/worker.h"

/* A call that is waited for, embedded in what waits. Zero-initialised, it is not watched. */
struct waiting {
    struct waiting *next, **back; /* back: NULL while it is not watched */
    int64_t began;                /* clock_ns() */
    const char *method;           /* what was asked, by its name, which is never freed; set before it is watched */
};

/* Of a runtime. */
struct patience {
    struct worker *worker;
    int64_t budget; /* milliseconds; may change while calls are watched */
    /* The oldest call that is watched began at `began` and is over the budget. Nothing is watched any more. */
    void (*over_budget)(struct patience *patience, int64_t began);
    const char *method;            /* in `over_budget`: of that call */
    struct waiting *oldest, **end; /* in the order in which they began; end: where the next one goes, NULL before the first */
    struct timer timer;            /* a timer a runtime, not one a call: armed at most once in a budget */
};

/* Watches nothing yet. The worker must outlive it. */
void patience_init(struct patience *patience, struct worker *worker, int64_t budget,
                   void (*over_budget)(struct patience *patience, int64_t began));

/* Watches a call that begins now: `over_budget` runs once if it is still watched after the budget. `waiting` must live until
   patience_end. */
void patience_begin(struct patience *patience, struct waiting *waiting);

/* The call has ended. Does nothing if it was not watched, or not any more. */
void patience_end(struct patience *patience, struct waiting *waiting);

/* Nothing is watched any more. */
void patience_forget(struct patience *patience);
