/* Examines the calls in flight, for a stop or a report. Worker's thread. */
#pragma once

#include "core/calls/call.h"

/* Whether a reply is being written to a caller right now. */
bool in_flight_is_replying(const struct call_server *server);

/* Whether a runtime is working on any of them, so that waiting helps. Waiting for a caller that reads no answer, or for a runtime
   that hangs, does not help. */
bool in_flight_gets_on(const struct call_server *server);

/* Whether one of them may still create something on a runtime: by its row, because its method is not known yet, or because it is
   forwarded without being understood. */
bool in_flight_may_make(const struct call_server *server);

/* Call this when the server stops: ends the streams that have no end of their own. */
void in_flight_end_streams(struct call_server *server);

/* clock_ns() at the start of the oldest call that the runtime has not answered; 0 if there is none. */
int64_t in_flight_oldest(const struct call_server *server, const struct runtime *runtime);

/* The same by method: `oldest` has method_count entries, zero on entry. */
void in_flight_oldest_by_method(const struct call_server *server, const struct runtime *runtime, int64_t *oldest);
