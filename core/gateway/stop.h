/* How a gateway ends, step by step. */
#pragma once

#include "core/gateway/gateway.h"

/* Takes no more calls, and gives those in flight limits.shutdown_grace to end. After that, calls are cancelled: with `bounded` at
   once, otherwise when no runtime is at work for any of them. Then callers' connections are shut down, and then the process exits
   whatever is pending, all within a second. Safe from any thread. May be called a second time, with `bounded`. */
void gateway_stop(struct gateway *gateway, bool bounded);

/* For gateway_init, once `server` is set: makes the gateway able to stop. */
void gateway_stop_init(struct gateway *gateway);
