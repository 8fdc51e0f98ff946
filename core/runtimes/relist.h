/* Asks a runtime for all its pods and containers, once: after each reconnect, so that what the gateway knows is what is. */
#ifndef CRIGATE_RUNTIMES_RELIST_H
#define CRIGATE_RUNTIMES_RELIST_H

#include "core/runtimes/runtime.h"

struct relist;

/* Starts it; each full list goes to the runtime's listener, and runtime->relist becomes NULL at the end. NULL: no memory. */
struct relist *relist_start(struct runtime *runtime);

void relist_cancel(struct relist *relist);

#endif
