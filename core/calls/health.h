/* grpc.health.v1.Health, by which probes ask whether CRI can be used here:
   https://github.com/grpc/grpc/blob/master/doc/health-checking.md

   Each service of each CRI package is known by its full name, and the empty name stands for all. Services of containers are
   serving while the primary is ready, those of images while its image service is, which may be a peer of its own. */
#pragma once

#include "core/calls/call.h"

/* Whether a path is of that service. */
bool health_is_meant(struct bytes path);

/* Answers a call of that service whose request has arrived. */
void health_answer(struct call *call);

/* Before calls arrive. */
void health_begin(struct call_server *server);

/* A runtime has come or gone, or another one is the primary: tells callers of Watch whose answer is another one now, one in each
   turn of the loop. */
void health_changed(struct call_server *server);
