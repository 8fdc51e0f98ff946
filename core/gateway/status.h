/* The gateway's state for people and their tools: `crigate status` and `crigate owner`. */
#pragma once

#include <json-c/json.h>

#include "core/gateway/gateway.h"

/* An object with the gateway's own members, `runtimes`, an array in the order of the map, and `callers`, see callers.h. Worker's
   thread; the caller owns the object. */
struct json_object *gateway_status(struct gateway *gateway);

/* The calls in flight as in_flight_describe_all has them; with the name of a runtime, its calls, or an object with `noRuntime` if
   the map names none like it. "": all. */
struct json_object *gateway_calls(const struct gateway *gateway, const char *runtime);

/* One line for people: health as `crigate status` has it, and the state of each runtime in the order of the map, as many as there
   is room for: "well: main ready (primary), extra ready". Worker's thread, once there is a generation. */
void gateway_summary(const struct gateway *gateway, char *text, size_t size);

/* An object with the name of the runtime that holds an id, and how that is known; empty if it is not known. */
struct json_object *gateway_status_of_id(const struct gateway *gateway, struct bytes id);
