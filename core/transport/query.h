/* A unary call of the gateway's own: a probe, a relist, a search for who holds an id. */
#pragma once

#include <grpc/grpc.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "core/transport/channel.h"

struct query;

/* The message of a query whose time passed begins with this; how long that was follows: "not answered within 5 s". */
#define QUERY_TOO_LATE "not answered within"

/* Runs once, on the worker's thread. `error` is the runtime's or the transport's status, code STATUS_OK when there is an answer;
   DEADLINE_EXCEEDED with QUERY_TOO_LATE: none arrived in time. `answer` is valid during the call only. The query is gone
   afterwards.
 */
typedef void query_done(void *state, const struct error *error, struct bytes answer);

/* Calls `path` (a string that outlives the query) with an encoded request, and gives up after `milliseconds`. NULL: out of
   memory; `done` is not called then. */
struct query *query_start(struct channel *channel, const char *path, struct bytes request, int64_t milliseconds, query_done *done,
                          void *state);

/* Ends it early: `done` gets CANCELLED, unless an answer is there already. */
void query_cut_short(struct query *query);

/* Ends it early; `done` is not called any more. */
void query_cancel(struct query *query);
