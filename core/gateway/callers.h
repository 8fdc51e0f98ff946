/* Who is connected and calls: for people, and for programs that must know that a kubelet's calls come here. */
#pragma once

#include <json-c/json.h>

#include "core/gateway/gateway.h"
#include "core/transport/callers.h"

/* An array with an object for each connection of a caller, the one with the latest call first: `pid` and `uid` as the kernel
   noted them when the connection was made, the path of the `socket`, `calls` that have arrived over it, and `last_call_ms`, the
   milliseconds since the last one arrived, which is missing without any. A process outside of crigate's PID namespace has the pid
   0. Worker's thread; the caller owns the array. NULL: out of memory. */
struct json_object *gateway_callers(const struct callers *callers);

/* An array with an object for each socket of the map: `address`, `access`, and the `connections` that are open and `calls` that
   have arrived. Likewise. */
struct json_object *gateway_sockets(struct gateway *gateway);
