/* The calls in flight for people and their tools: `crigate calls`, and the log. Worker's thread. */
#pragma once

#include <json-c/json.h>

#include "core/calls/call.h"

/* How many calls one description has at most: of more, the oldest. */
#define IN_FLIGHT_DESCRIBED 1000

/* An object with what concerns one call, which the caller owns:
     id         its number among the calls of this process
     method     "PullImage"; the path of an RPC that crigate does not know
     state      see in_flight_state
     ageMilliseconds
     pod, container, image   what the request names, if it does; podUid instead of an id that does not exist yet
     runtimes   the names of those that it goes to; missing until that is known
     waitsFor   of those, the names of the ones that it waits for
     plugin     the name of the plugin that it waits for; missing where it waits for none
     callerGone true, if its caller has hung up
     pid, uid   of the caller as the kernel noted them; missing when it is gone. A process outside of crigate's PID namespace has
   0 Text of a request is cut at 128 bytes; what is not printable ASCII in it is "?", and so is the secret of a URL, also of one
   that is cut. */
struct json_object *in_flight_describe(struct call *call, int64_t now);

/* Adds `calls`, an array of these, oldest first, and `total`, how many there are. With the name of a runtime only the calls that
   go to it. NULL: all. */
void in_flight_describe_all(const struct call_server *server, const char *runtime, struct json_object *object);

/* What a call waits for, in words: "receiving the request", "waiting for the primary", "waiting for runtimes to connect",
   "finding the owner", "in hooks", "asking", "streaming", "replying". */
const char *in_flight_state(const struct call *call);

/* "PullImage", or the path of an RPC that crigate does not know, in `size` bytes of printable ASCII. */
void in_flight_method(const struct call *call, char *name, size_t size);
