/* The time after startup in which calls wait instead of failing: for the primary in its start-up grace, and for a first look at
   the other runtimes. Worker's thread. */
#pragma once

#include "core/gateway/gateway.h"

/* Calls wait from now on. A generation must be in force. */
void gateway_grace_begin(struct gateway *gateway);

/* Call this when the primary is ready: no call waits for it any more, and the gateway has started. */
void gateway_primary_ready(struct gateway *gateway);

/* Call this when the gateway stops: no call waits for any runtime any more. */
void gateway_grace_end(struct gateway *gateway);
