/* limits.idle: closes the connections of callers that have made no call for that long. */
#pragma once

#include "core/calls/server.h"

/* Starts and stops looking at all connections, a few times per limits.idle. An idle connection gets a GOAWAY first, which loses
   no call that is on its way, and is closed if it is still there a few seconds later. Worker's thread. */
void idle_callers_begin(struct call_server *server);
void idle_callers_end(struct call_server *server);
