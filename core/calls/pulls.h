/* Lets pulls go on in the order of their runtime's queue, core/runtimes/pull_queue.h. */
#pragma once

#include "core/calls/call.h"

/* Before calls arrive. `go_on` is called for a pull that has waited. */
void pulls_begin(struct call_server *server, void (*go_on)(struct call *call));

/* Whether a routed call may go on. If not, it waits, with a hold of its own, until it is its turn. */
bool pulls_may_go_on(struct call *call);

/* Its caller has disconnected. Whether it waited, and waits no more; the hold is the caller's then. */
bool pulls_give_up(struct call *call);

/* A reload may have changed how many may be under way. */
void pulls_reloaded(struct call_server *server);
