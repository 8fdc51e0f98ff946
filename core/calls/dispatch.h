/* The path of each call: received, routed, parked if necessary, sent to runtimes, answered. */
#pragma once

#include "core/calls/server.h"

/* Creates the server and accepts calls from now on, under the generation in force. false: out of memory. */
bool dispatch_begin(struct call_server *server);

/* Frees the server, which has shut down and has no calls left. */
void dispatch_end(struct call_server *server);

/* Continues all parked calls, under the generation that is in force now; some may be parked again. */
void dispatch_unpark_all(struct call_server *server);
