/* The gateway from its start to its end. */
#pragma once

#include "core/gateway/gateway.h"

/* Builds the gateway and starts connecting to the runtimes. `take_over`: another process serves the socket still, and is to hand
   it over. Takes over the map, also when it fails. false: no memory. */
bool gateway_init(struct gateway *gateway, struct runtime_map *map, bool take_over, const struct gateway_callbacks *callbacks);

/* Serves until gateway_stop; then waits for running calls and frees everything. false: connections did not end in time. What was
   last seen is saved, but the transport still points to the gateway: the process has to end now, without another call of it. */
bool gateway_run(struct gateway *gateway);
