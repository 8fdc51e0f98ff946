/* The time after the start in which calls wait instead of failing: for the primary in its start-up grace, and for a first look at
   the other runtimes. Worker's thread. */
#pragma once

#include "core/gateway/gateway.h"

/* Calls wait from now on. The generation is in force. */
void gateway_grace_begin(struct gateway *gateway);

/* The primary is ready: nobody has to wait for it any more, and the gateway has started. */
void gateway_primary_ready(struct gateway *gateway);

/* The gateway stops: nobody waits for any runtime any more. */
void gateway_grace_end(struct gateway *gateway);
