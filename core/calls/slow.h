/* Logs calls that take long, while they run. Worker's thread. */
#pragma once

#include "core/calls/call.h"
#include "core/loop/worker.h"

/* After this time a call is logged, once. */
#define SLOW_CALL_MS 30000

/* Zero-initialised before slow_calls_begin; must stay where it is until slow_calls_end. */
struct slow_calls {
    const struct call_server *server;
    struct timer look; /* armed from begin to end */
    int64_t looked;    /* clock_ns() */
};

/* From now on, looks at the calls every few seconds. A call of a row with `may_last` that a runtime is still working on is not
   logged, nor a stream that its caller is listening to: they are meant to be long. At most ten lines a look, and how many more
   there were. */
void slow_calls_begin(struct slow_calls *slow, const struct call_server *server);

void slow_calls_end(struct slow_calls *slow);

/* Whether a call has become slow between the look at `before` and the one at `now`, clock_ns(), and is not meant to be. */
bool slow_calls_is_due(const struct call *call, int64_t before, int64_t now);
