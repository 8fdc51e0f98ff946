/* Counters of calls, kept on the worker's thread: one set for each runtime, allocated when a method is first called. */
#pragma once

#include "base/bytes/error.h"
#include "core/metrics/sample.h"
#include "translate/schema/method.h"

#define RPC_CODES 17                    /* of gRPC */
#define RPC_CALLERS (DIALECT_COUNT + 1) /* the last: a call of no package that crigate knows */
#define RPC_NO_CALLER DIALECT_COUNT

struct rpc_row;

/* Zero-initialised: nothing was counted. */
struct rpc_counters {
    struct rpc_row **rows; /* for each row of the table of methods, and one more for all that have none; NULL: not used yet */
};

/* A call of a caller has ended. `method` is NULL for an RPC that crigate does not know; `caller` may be RPC_NO_CALLER. A code
   that gRPC does not define counts as UNKNOWN, as gRPC itself has it. Not counted when out of memory. */
void rpc_count(struct rpc_counters *counters, const struct method *method, unsigned caller, unsigned code, int64_t nanoseconds);

/* A runtime has answered a request. */
void rpc_count_upstream(struct rpc_counters *counters, const struct method *method, int64_t nanoseconds);

/* Adds the samples, with these values of the labels `runtime` and `runtime_api`. */
void rpc_describe(const struct rpc_counters *counters, const char *runtime, const char *runtime_api,
                  struct metric_samples *samples);

void rpc_counters_free(struct rpc_counters *counters);
