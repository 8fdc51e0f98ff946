/* Looks at the calls in flight, for those who stop the gateway or report on it. Worker's thread. */
#pragma once

#include "core/calls/call.h"

/* Whether a reply is being written to a caller right now. */
bool in_flight_is_replying(const struct call_server *server);

/* Whether a runtime is at work for any of them, so that waiting leads somewhere. It is no use to wait for a caller that takes no
   answer, or for a runtime that gives none. */
bool in_flight_gets_on(const struct call_server *server);

/* Whether one of them may yet make something on a runtime: one whose row says so, one whose method is not known yet, or one that
   is forwarded without being understood. */
bool in_flight_may_make(const struct call_server *server);

/* The server stops: ends the streams that have no end of their own. */
void in_flight_end_streams(struct call_server *server);

/* clock_ns() when the oldest call began that the runtime has not answered; 0 without one. */
int64_t in_flight_oldest(const struct call_server *server, const struct runtime *runtime);
