/* The gateway's state for people and their tools: `crigate status` and `crigate owner`. */
#pragma once

#include <stddef.h>

#include "core/control/report.h"
#include "core/gateway/gateway.h"

/* The gateway's part in reports; state is the gateway, on the worker's thread.
   CONTROL_STATUS: the gateway's own members, `runtimes`, an array in the order of the map, and `callers`, see callers.h.
   CONTROL_CALLS: the calls in flight as in_flight_describe_all has them; with the name of a runtime as argument, its calls, or
   CONTROL_NO_RUNTIME if the map names none like it. Both with CONTROL_PID.
   CONTROL_HOOKS: see hooks.h.
   CONTROL_OWNER: the name of the runtime that holds the id in the argument, and how that is known; nothing if it is not known. */
extern const struct control_report gateway_reports[];

/* One line for people: health as `crigate status` has it, and the state of each runtime in the order of the map, as many as there
   is room for: "well: main ready (primary), extra ready". Worker's thread, once there is a generation. */
void gateway_summary(const struct gateway *gateway, char *text, size_t size);
