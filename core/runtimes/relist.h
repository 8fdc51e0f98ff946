/* Lists all pods and containers of a runtime once: after each reconnect, so that the gateway's knowledge is up to date. */
#pragma once

#include "core/runtimes/runtime.h"
#include "core/store/list_asked_at.h"

/* Callbacks to the module that learns from the lists. */
struct relist_callbacks {
    void *state;
    /* A list is about to be requested. */
    struct list_asked_at (*asked)(void *state, struct runtime *runtime);
    /* The list has arrived: all that the runtime holds of a kind. `list` is valid during the call only. */
    void (*listed)(void *state, struct runtime *runtime, const struct method *method, struct bytes list,
                   struct list_asked_at marks);
};

/* Starts it. `done` runs later, unless the task is cancelled before; the callbacks are copied. NULL: out of memory. */
struct runtime_task *relist_start(struct runtime *runtime, const struct relist_callbacks *callbacks, runtime_lists_done *done);
