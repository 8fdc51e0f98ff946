/* The gateway's state for people and their tools: `crigate status` and `crigate owner`. */
#pragma once

#include <json-c/json.h>

#include "core/gateway/gateway.h"

/* An object with the gateway's own members, `runtimes`, an array in the order of the map, and `callers`, see callers.h. Worker's
   thread; the caller owns the object. */
struct json_object *gateway_status(struct gateway *gateway);

/* An object with the name of the runtime that holds an id, and how that is known; empty if it is not known. */
struct json_object *gateway_status_of_id(const struct gateway *gateway, struct bytes id);
