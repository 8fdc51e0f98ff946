/* The gateway from its start to its end. */
#pragma once

#include "core/gateway/gateway.h"

/* Creates the gateway and starts connecting to the runtimes. `take_over`: another process still serves the socket, and will hand
   it over. Takes over the map, even if it fails. false: out of memory. */
bool gateway_init(struct gateway *gateway, struct runtime_map *map, bool take_over, const struct gateway_callbacks *callbacks);

/* Serves until gateway_stop; then waits for running calls and frees everything. false: connections did not end in time. What was
   last seen is saved, but the transport still points to the gateway: the process must exit now, without using the gateway again.
 */
bool gateway_run(struct gateway *gateway);
