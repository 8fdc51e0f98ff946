/* Makes up events quickly, of things that do not exist: each life has four events, first of a pod, and then of one container
   after the other, all in one other pod. Lists do not show them. */
#pragma once

#include <grpc/slice.h>

#include "sim/service.h"

struct flood;

/* Makes up `rate` events a second, from the first request on, encoded as the method of that target; at most `most` in all, 0: no
   limit. */
struct flood *flood_new(unsigned rate, unsigned most, const struct target *target);

/* NULL is allowed. */
void flood_free(struct flood *flood);

/* The number of events that are due at that time, in nanoseconds of the monotonic clock. */
unsigned flood_due(struct flood *flood, int64_t now);

/* The next event. */
grpc_slice flood_next(struct flood *flood);

/* Drops the events that are due, because there is no listener. */
void flood_skip(struct flood *flood, int64_t now);

uint64_t flood_made(const struct flood *flood);
