/* Since when what happens on a runtime is news: what was over before is not told. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_since {
    int64_t at;   /* by the wall clock as it was set then, in nanoseconds since 1970 */
    int64_t when; /* the same moment as clock_ns() has it */
};

struct event_since event_since_now(void);

/* Since a moment of clock_ns(). */
struct event_since event_since_moment(int64_t when);

/* Whether an event of that wall-clock time, 0 if it says none, is older. The clock may have been set since: what is older by one
   reckoning only is not, lest new things be taken for old until a clock that was set back has caught up. */
bool event_since_is_after(const struct event_since *since, int64_t created_at);
