/* A complete list that the gateway asks a runtime for by itself: as one message, or as a stream where it is too long for
   that. */
#pragma once

#include "core/runtimes/query.h"
#include "core/runtimes/runtime.h"

struct list_query;

/* Calls `method`, which answers a list, without a filter. When that fails with RESOURCE_EXHAUSTED and the runtime has the stream
   of the same list, opens that and collects its messages. The call, and each message of the stream, may take so many
   milliseconds. `done` is called as by a query, with all messages in sequence. NULL: no memory; `done` is not called then. */
struct list_query *list_query_start(struct runtime *runtime, const struct method *method, int64_t milliseconds, query_done *done,
                                    void *state);

/* Ends it early; `done` is not called any more. */
void list_query_cancel(struct list_query *query);
