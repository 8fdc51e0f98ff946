/* The time from which a runtime's events are new: older ones are not reported. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_since {
    int64_t at;   /* wall-clock time of that moment, in nanoseconds since 1970 */
    int64_t when; /* the same moment by clock_ns() */
};

struct event_since event_since_now(void);

/* Starts at a time of clock_ns(). */
struct event_since event_since_moment(int64_t when);

/* Whether an event of that wall-clock time (0: none given) is older. The wall clock may have been set since: the event counts as
   older only if both clocks agree. Otherwise, new events could be taken for old ones until a clock that was set back has caught
   up.
   */
bool event_since_is_after(const struct event_since *since, int64_t created_at);
