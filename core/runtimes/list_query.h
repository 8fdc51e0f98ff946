/* A complete list that the gateway itself requests from a runtime: as one message, or as a stream if it is too long for one. */
#pragma once

#include "core/runtimes/runtime.h"
#include "core/transport/query.h"

struct list_query;

/* Calls `method`, which answers with a list, without a filter. If that fails with RESOURCE_EXHAUSTED and the runtime can stream
   the same list, opens the stream and collects its messages. `milliseconds` limits the call, and each message of the stream.
   `done` is called as for a query, with all messages joined. NULL: out of memory; `done` is not called then. */
struct list_query *list_query_start(struct runtime *runtime, const struct method *method, int64_t milliseconds, query_done *done,
                                    void *state);

/* Ends it early; `done` is not called. */
void list_query_cancel(struct list_query *query);
