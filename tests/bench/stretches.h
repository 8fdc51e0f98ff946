/* Longer parts of a measurement: as many blocks in a row as take every process of a way once. User time is counted too roughly
   for a block, and two processes of one program differ; stretches of two ways can be divided by each other. */
#pragma once

#include <stddef.h>

#include <json-c/json.h>

#include "tests/bench/load.h"
#include "tests/bench/numbers.h"

/* As many processes of each way as are in a measurement that is compared by stretches. */
#define STRETCH_BLOCKS 3

struct scenario;
struct measured;

/* Of one way. Zeroed is empty. */
struct stretches {
    struct numbers users;   /* microseconds of user time a call */
    struct numbers rates;   /* calls a second */
    struct numbers medians; /* microseconds: the blocks' medians on average */
    /* The one under way. */
    struct process_usage used;
    size_t calls, blocks;
    double rate_sum, median_sum;
};

/* Adds the way's next block, with its median. */
void stretches_add(struct stretches *stretches, const struct block *block, double median);

void stretches_free(struct stretches *stretches);

/* What a way takes by what each other takes that did not fail, stretch by stretch: a member for each other way, with the spreads
   `user`, `calls_per_second` and `added` (to `direct`; null without it). The caller owns the object. */
json_object *stretches_ratios(const struct scenario *scenario, const struct measured *measured, size_t way);
