/* How a gateway ends: gateway_stop and what follows from it. */
#ifndef CRIGATE_GATEWAY_STOP_H
#define CRIGATE_GATEWAY_STOP_H

#include "core/gateway/gateway.h"

/* For gateway_init, once `server` is set: makes the gateway able to stop. */
void gateway_stop_init(struct gateway *gateway);

#endif
