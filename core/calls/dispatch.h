/* The way of each call: received, routed, parked or not, asked of runtimes, answered. */
#pragma once

#include "core/calls/server.h"

/* Makes the server and takes calls from now on, under the generation that is in force. false: no memory. */
bool dispatch_begin(struct call_server *server);

/* Frees the server, which has shut down and has no calls left. */
void dispatch_end(struct call_server *server);

/* Goes on with all calls that are parked, under the generation that is in force by now; some may be parked again. */
void dispatch_unpark_all(struct call_server *server);
