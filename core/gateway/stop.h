/* Stops a gateway, step by step. */
#pragma once

#include "core/gateway/gateway.h"

/* Accepts no more calls, and gives those in flight limits.shutdown_grace to end. After that, calls are cancelled: with `bounded`
   at once, otherwise when no runtime is working on any of them. Then callers' connections are shut down, and then the process
   exits even if operations are pending, all within a second. Safe from any thread. May be called a second time, with
   `bounded`. */
void gateway_stop(struct gateway *gateway, bool bounded);

/* For gateway_init, after `server` is set: prepares the gateway for a stop. */
void gateway_stop_init(struct gateway *gateway);

/* For hooks_init: no more hooks run after answers. */
void gateway_hooks_idle(void *state);
