/* What was measured, and how it is shown: a table for people, JSON for programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <json-c/json.h>

#include "tests/bench/load.h"
#include "tests/bench/numbers.h"
#include "tests/bench/stretches.h"

/* One way's part in one measurement: its blocks took turns with those of the other ways, so block i of one and block i of
   another saw the same machine. */
struct measured {
    struct numbers latencies;     /* microseconds, all blocks */
    struct numbers block_medians; /* microseconds */
    struct numbers block_rates;   /* calls a second */
    struct stretches stretches;
    struct process_usage used;
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
        hook;         /* of `echo` and `bare`: microseconds to the same without a plugin (`on`, `passthrough`), block by block */
    const char *twin; /* a way that differs in one thing only, such as `crigate` for `metrics`; NULL: none in the scenario */
    struct spread to_twin;     /* microseconds to it, block by block */
    double to_twin_part;       /* the same at the median, by its median */
    double hook_to_plugin;     /* median of `hook` by that of a call of `plugin` */
    double hook_to_by_hand;    /* the same by what the plugin adds to a caller that calls it itself first */
    double hook_to_bare;       /* median of `hook` by that of `bare` */
    double cpu_thousand_calls; /* seconds of the process at the target's address */
    double user, system;       /* the same time by what it was for, microseconds a call */
    size_t calls;
    unsigned long resident_kib, peak_kib; /* memory of the process at the target's first address */
    bool failed;
};

/* Fills one row for each way. `measured` is sorted on the way. */
void figures_compute(const struct scenario *scenario, struct measured *measured, struct figures *rows);

void figures_print(FILE *out, const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows);

/* The caller owns the object. */
json_object *figures_json(const struct scenario *scenario, const char *rpc, size_t callers, const struct figures *rows);
