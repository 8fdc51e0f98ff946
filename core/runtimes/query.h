/* A unary call of the gateway's own: a probe, a relist, a search for who holds an id. */
#ifndef CRIGATE_RUNTIMES_QUERY_H
#define CRIGATE_RUNTIMES_QUERY_H

#include <grpc/grpc.h>

#include "core/transport/channel.h"
#include "translate/arena.h"
#include "translate/error.h"

struct inquiry;

/* Runs once, on the worker's thread. `error` is the runtime's or the transport's status, code STATUS_OK when there is an answer;
   `answer` is valid during the call only. The inquiry is gone afterwards. */
typedef void inquiry_done(void *state, const struct error *error, struct bytes answer);

/* Calls `path` (a string that outlives the inquiry) with an encoded request, and gives up after `milliseconds`. NULL: no memory;
   `done` is not called then. */
struct inquiry *inquiry_start(struct upstream *upstream, const char *path, struct bytes request, int64_t milliseconds,
                              inquiry_done *done, void *state);

/* Ends it early: `done` hears CANCELLED, unless an answer is there already. */
void inquiry_cut_short(struct inquiry *inquiry);

/* Ends it early; `done` is not called any more. */
void inquiry_cancel(struct inquiry *inquiry);

#endif
