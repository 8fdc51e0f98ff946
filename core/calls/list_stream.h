/* Streamed lists: each runtime's own stream where it has one, else its list in parts, and all of them as one stream to the
   caller. Messages go on in the order in which they arrive; a runtime is asked for the next one when there is room for it, so
   that a slow caller slows the runtimes. The stream ends well only when all runtimes' lists have: a failure of one, in the
   beginning or midway, fails it, unless something stands for that runtime as for the list of the call's row. */
#pragma once

#include "core/calls/call.h"

struct list_stream;

/* Begins the answer to a call whose `stream` is a row of a streamed list; its upstream calls are about to be started.
   `part_ended` is called for each of them when it has nothing more to give; the call may be gone when it returns. false, as
   downstream_start. */
bool list_stream_start(struct call *call, void (*part_ended)(struct call *call), struct error *error);

/* The runtime of an upstream call streams the list, as upstream_callbacks.stream says. */
void list_stream_open(struct call *call, struct upstream_call *upstream);

/* An upstream call has ended that asked its runtime for the list, or that could not ask. */
void list_stream_take(struct call *call, struct upstream_call *upstream);

/* All upstream calls have nothing more to give. */
void list_stream_end(struct call *call);
