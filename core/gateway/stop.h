/* How a gateway ends, step by step. */
#ifndef CRIGATE_GATEWAY_STOP_H
#define CRIGATE_GATEWAY_STOP_H

#include "core/gateway/gateway.h"

/* Starts to stop: no new calls are taken, running ones end. Those that have not ended after limits.shutdown_grace are cancelled
   once nothing but them is left that a runtime is at work for; with `bounded`, all are. Then callers are hung up on, and then
   the process ends whatever is pending, all within a second. Safe from any thread. May be called again, to bound what was not. */
void gateway_stop(struct gateway *gateway, bool bounded);

/* For gateway_init, once `server` is set: makes the gateway able to stop. */
void gateway_stop_init(struct gateway *gateway);

#endif
