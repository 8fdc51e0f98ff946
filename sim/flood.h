/* Events of things that never were, made up fast: a life has four. First a pod's, then one container's after the other, which
   all say the same other pod. Lists do not show them. */
#pragma once

#include <grpc/slice.h>

#include "sim/service.h"

struct flood;

/* So many events a second, from when the first is asked for, encoded as the method of that target; at most so many in all, 0: no
   end. */
struct flood *flood_new(unsigned rate, unsigned most, const struct target *target);

/* NULL is allowed. */
void flood_free(struct flood *flood);

/* How many are due at that time, in nanoseconds of the monotonic clock. */
unsigned flood_due(struct flood *flood, int64_t now);

/* The next one. */
grpc_slice flood_next(struct flood *flood);

/* Nobody took those that are due: they never were. */
void flood_skip(struct flood *flood, int64_t now);

uint64_t flood_made(const struct flood *flood);
