/* A histogram of durations, with the same buckets for all. */
#pragma once

#include <stdint.h>

#define HISTOGRAM_BOUNDS 18

/* The upper bounds of the buckets, in nanoseconds, and how they are written in seconds. */
struct histogram_bound {
    int64_t nanoseconds;
    const char *text;
};

extern const struct histogram_bound histogram_bounds[HISTOGRAM_BOUNDS];

/* Zero-initialised: nothing was seen. */
struct histogram {
    uint64_t buckets[HISTOGRAM_BOUNDS + 1]; /* not cumulative; the last has all above the last bound */
    int64_t sum;                            /* nanoseconds */
};

/* Adds a duration, in nanoseconds; a negative one counts as none. */
void histogram_add(struct histogram *histogram, int64_t nanoseconds);

/* How many durations were added. */
uint64_t histogram_count(const struct histogram *histogram);
