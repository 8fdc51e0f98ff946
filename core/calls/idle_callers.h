/* limits.idle: connections of callers that have made no call for a while are closed. */
#ifndef CRIGATE_CALLS_IDLE_CALLERS_H
#define CRIGATE_CALLS_IDLE_CALLERS_H

#include "core/calls/server.h"

/* Looks at all connections from time to time: a few times in limits.idle. Those without calls for that long are first asked to
   go, which loses no call that is on its way, and closed when they have not gone some seconds later. Worker's thread. */
void idle_callers_begin(struct call_server *server);
void idle_callers_end(struct call_server *server);

#endif
