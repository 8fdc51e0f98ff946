/* What was measured, and how it is shown: a table for people, JSON for programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <json-c/json.h>

#include "tests/bench/load.h"

/* A growing list of numbers. Zeroed is empty. */
struct numbers {
    double *values;
    size_t count;
    size_t capacity;
};

/* Exits when there is no memory: a bench has nothing else to do then. */
void numbers_add(struct numbers *numbers, double value);

void numbers_free(struct numbers *numbers);

/* A middle with the quartiles around it. */
struct spread {
    double median, low, high;
};

/* NaN without numbers. Sorts them. */
struct spread numbers_spread(struct numbers *numbers);

/* One way's part in one measurement: its blocks took turns with those of the other ways, so block i of one and block i of
   another saw the same machine. */
struct measured {
    struct numbers latencies;     /* microseconds, all blocks */
    struct numbers block_medians; /* microseconds */
    struct numbers block_rates;   /* calls a second */
    double cpu_seconds;
    size_t calls;
    unsigned long resident_kib, peak_kib; /* of the process at the end, and at most so far; 0: unknown */
    bool failed;                          /* a call failed, and no more were made: there are no figures */
};

void measured_add_block(struct measured *measured, const struct block *block);

void measured_free(struct measured *measured);

/* One row of the table. Whatever compares is a NaN where the way to compare with is not in the scenario. */
struct figures {
    double median, p99;    /* microseconds */
    struct spread rate;    /* calls a second */
    struct spread added;   /* microseconds to `direct`, block by block */
    double added_p99;      /* p99 less that of `direct` */
    double to_direct;      /* median by that of `direct` */
    double to_passthrough; /* added median by that of `passthrough` */
    struct spread
        hook; /* of `echo` and `bare`: microseconds to the same without a plugin (`on`, `passthrough`), block by block */
    double hook_to_plugin;     /* median of `hook` by that of a call of `plugin` */
    double hook_to_bare;       /* median of `hook` by that of `bare` */
    double cpu_thousand_calls; /* seconds of the process at the target's address */
    size_t calls;
    unsigned long resident_kib, peak_kib; /* memory of the process at the target's first address */
    bool failed;
};

/* Fills one row for each way. `measured` is sorted on the way. */
void figures_compute(const struct scenario *scenario, struct measured *measured, struct figures *rows);

void figures_print(FILE *out, const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows);

/* The caller owns the object. */
json_object *figures_json(const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows);
