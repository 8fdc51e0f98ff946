/* Streamed lists: the runtimes' own streams, or their lists in parts if they do not stream, as one stream to the caller. Messages
   are passed on in the order of arrival; crigate asks a runtime for the next one when there is room for it, so a slow caller
   slows the runtimes. The stream ends with OK only if all runtimes' lists do. If one fails, at the beginning or midway, the
   stream fails, unless crigate can answer for that runtime as in the list of the call's row. */
#pragma once

#include "core/calls/call.h"

struct list_stream;

/* Begins the answer to a call whose `stream` is a row of a streamed list, before its upstream calls start. `part_ended` is called
   for each upstream call that has nothing more to send; the call may be freed when it returns. false: as for downstream_start. */
bool list_stream_start(struct call *call, void (*part_ended)(struct call *call), struct error *error);

/* Call this if the runtime of an upstream call streams the list, see upstream_callbacks.stream. */
void list_stream_open(struct call *call, struct upstream_call *upstream);

/* Call this when an upstream call for the list has ended, or could not be made. */
void list_stream_take(struct call *call, struct upstream_call *upstream);

/* Call this when all upstream calls have nothing more to send. */
void list_stream_end(struct call *call);
