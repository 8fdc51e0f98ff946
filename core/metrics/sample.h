/* The values of metrics at one moment: filled on one thread, then written as text on another. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "core/metrics/histogram.h"
#include "core/metrics/table.h"

#define METRIC_LABEL_LONGEST 64 /* bytes of a label's value; what is longer is cut */

struct metric_sample {
    struct metric_sample *next; /* of the same metric, in the order in which they were added */
    const struct histogram *histogram;
    double value; /* without a histogram */
    const char *labels[METRIC_LABELS];
};

struct metric_samples {
    struct arena *memory;
    bool incomplete; /* memory was short */
    struct metric_sample *first[METRIC_COUNT];
    struct metric_sample *last[METRIC_COUNT];
};

/* NULL: out of memory. */
struct metric_samples *metric_samples_new(void);

/* NULL is allowed. */
void metric_samples_free(struct metric_samples *samples);

/* Adds a value, with as many labels as the metric has. A label with text from elsewhere is copied, with U+FFFD in place of
   control characters and of what is not UTF-8. One that is too long is cut, and ends in a tilde and a hash of the whole
   ("~0a1b2c3d"): two that differ behind the cut differ here. */
void metric_add(struct metric_samples *samples, enum metric metric, double value, const char *const *labels);

/* The same for a histogram, which is copied. */
void metric_add_histogram(struct metric_samples *samples, enum metric metric, const struct histogram *histogram,
                          const char *const *labels);
