/* Hooks for the requests of a kubelet that has Docker built in. On the worker's thread. It knows Docker's API, not HTTP's framing. */
#pragma once

#include "core/base/worker.h"
#include "translate/docker/route.h"

struct docker_hooks;
struct docker_exchange;
struct plugin_list;

/* What becomes of a request before Docker gets it. */
struct docker_verdict {
    struct error error; /* not STATUS_OK: the caller gets this instead of Docker's answer: 500 with {"message": TEXT} as Docker fails, 400 for INVALID_ARGUMENT */
    bool changed;       /* `body` is sent in the place of the caller's */
    struct bytes body;  /* in the exchange's memory; lives as long as the exchange */
};

/* Calls the plugins for a request with that body, which `route` and `body` must outlive until docker_exchange_end. `milliseconds` is what is left of the
   caller's patience (INT64_MAX: unknown). Leads to one `done`, perhaps before this returns. NULL: no memory, `done` is not called. */
struct docker_exchange *docker_exchange_start(struct docker_hooks *hooks, const struct docker_route *route, struct bytes body,
                                              void (*done)(void *state, const struct docker_verdict *verdict), void *state);

/* Docker answered with that HTTP status; `body` is the answer's for DOCKER_CREATE (it has the new id), else empty. Learns from it. Hooks after the call
   are queued when this returns. */
void docker_exchange_answered(struct docker_exchange *exchange, int status, struct bytes body);

/* Both sides are done, or the caller is gone: frees it; if `done` has not run it will not. */
void docker_exchange_end(struct docker_exchange *exchange);
