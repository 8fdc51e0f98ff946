#include "core/metrics/rpc.h"

#include <stdlib.h>

struct rpc_row {
    uint64_t ended[RPC_CALLERS][RPC_CODES];
    struct histogram duration; /* of all of them */
    struct histogram upstream;
};

static struct rpc_row *row_of(struct rpc_counters *counters, const struct method *method)
{
    if (!counters->rows && !(counters->rows = calloc((size_t)method_count + 1, sizeof(struct rpc_row *)))) {
        return NULL;
    }
    struct rpc_row **row = &counters->rows[method ? method - methods : method_count];
    if (!*row) {
        *row = calloc(1, sizeof **row);
    }
    return *row;
}

void rpc_count(struct rpc_counters *counters, const struct method *method, unsigned caller, unsigned code, int64_t nanoseconds)
{
    struct rpc_row *row = row_of(counters, method);
    if (row) {
        row->ended[caller < RPC_CALLERS ? caller : RPC_NO_CALLER][code < RPC_CODES ? code : STATUS_UNKNOWN]++;
        histogram_add(&row->duration, nanoseconds);
    }
}

void rpc_count_upstream(struct rpc_counters *counters, const struct method *method, int64_t nanoseconds)
{
    struct rpc_row *row = row_of(counters, method);
    if (row) {
        histogram_add(&row->upstream, nanoseconds);
    }
}

static void describe_row(const struct rpc_row *row, const char *method, const char *runtime, const char *runtime_api,
                         struct metric_samples *samples)
{
    for (unsigned caller = 0; caller < RPC_CALLERS; caller++) {
        for (unsigned code = 0; code < RPC_CODES; code++) {
            if (row->ended[caller][code] > 0) {
                const char *api = caller < DIALECT_COUNT ? dialects[caller].name : "";
                metric_add(samples, METRIC_RPC_REQUESTS, (double)row->ended[caller][code],
                           (const char *[]){method, runtime, api, runtime_api, status_code_name((enum status_code)code)});
            }
        }
    }
    const char *labels[] = {method, runtime};
    if (histogram_count(&row->duration) > 0) {
        metric_add_histogram(samples, METRIC_RPC_DURATION, &row->duration, labels);
    }
    if (histogram_count(&row->upstream) > 0) {
        metric_add_histogram(samples, METRIC_UPSTREAM_DURATION, &row->upstream, labels);
    }
}

void rpc_describe(const struct rpc_counters *counters, const char *runtime, const char *runtime_api,
                  struct metric_samples *samples)
{
    for (unsigned i = 0; counters->rows && i <= method_count; i++) {
        if (counters->rows[i]) {
            describe_row(counters->rows[i], i < method_count ? methods[i].name : "other", runtime, runtime_api, samples);
        }
    }
}

void rpc_counters_free(struct rpc_counters *counters)
{
    for (unsigned i = 0; counters->rows && i <= method_count; i++) {
        free(counters->rows[i]);
    }
    free(counters->rows);
    counters->rows = NULL;
}
