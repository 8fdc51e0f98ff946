/* Ends the gateway after a takeover: callers are sent to the other process, and then the server ends, without a failed call. */
#pragma once

#include "core/gateway/gateway.h"

struct drain {
    struct gateway *gateway;
    struct completion begun;
    struct timer timer;
    unsigned looks; /* waiting for a moment in which no reply is being written */
    bool sent_away; /* callers have received the GOAWAY */
};

/* Begins to drain; when that is done, the gateway stops, and waits for running calls however long they take. The struct must live
   as long as the worker. No connection may be accepted any more. Safe from any thread; once. */
void drain_begin(struct drain *drain, struct gateway *gateway);
