/* The table that declares all metrics. docs/observability.md has the same table; a test compares the two. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#define METRIC_LABELS 5 /* that one can have */

enum metric_type {
    METRIC_GAUGE,
    METRIC_COUNTER, /* its name ends in _total */
    METRIC_HISTOGRAM,
};

enum metric {
    METRIC_BUILD_INFO,
    METRIC_WORKER_UP,
    METRIC_RPC_REQUESTS,
    METRIC_RPC_DURATION,
    METRIC_RPC_IN_FLIGHT,
    METRIC_RPC_OLDEST,
    METRIC_SOCKET_CONNECTIONS,
    METRIC_SOCKET_IN_FLIGHT,
    METRIC_SOCKET_CALLS,
    METRIC_UPSTREAM_DURATION,
    METRIC_UPSTREAM_IN_FLIGHT,
    METRIC_RUNTIME_UP,
    METRIC_RUNTIME_HANGING,
    METRIC_RUNTIME_PRIMARY,
    METRIC_RUNTIME_INFO,
    METRIC_RUNTIME_RECONNECTS,
    METRIC_LIST_STALE,
    METRIC_PODS,
    METRIC_TRANSLATION_DROPPED,
    METRIC_TRANSLATION_IGNORED,
    METRIC_TRANSLATION_REFUSED,
    METRIC_HOOK_DURATION,
    METRIC_PLUGIN_UP,
    METRIC_EVENTS,
    METRIC_CONFIG_LAST_RELOAD,
    METRIC_CONFIG_HASH,
    METRIC_MEMORY_LIMIT,
    METRIC_PROCESS_CPU,
    METRIC_PROCESS_RESIDENT,
    METRIC_PROCESS_VIRTUAL,
    METRIC_PROCESS_OPEN_FDS,
    METRIC_PROCESS_MAX_FDS,
    METRIC_PROCESS_THREADS,
    METRIC_PROCESS_START,
    METRIC_COUNT,
};

struct metric_row {
    const char *name; /* whole, with its prefix and, for a counter, its end */
    enum metric_type type;
    const char *help;                  /* one sentence */
    const char *labels[METRIC_LABELS]; /* in the order in which metric_add takes their values; NULL behind the last */
};

extern const struct metric_row metric_rows[METRIC_COUNT];

/* "gauge" and so on, as in the text formats. */
const char *metric_type_name(enum metric_type type);

/* How many labels it has. */
size_t metric_label_count(enum metric metric);

/* Prints the table in Markdown. */
void metric_table_print(FILE *out);
