/* Hooks for the requests of a kubelet that has Docker built in. On the worker's thread. It knows Docker's API, not HTTP's framing
   of the requests that pass.

   What is known of pods and containers is learned from requests that pass, and asked of Docker: of all that are Kubernetes' when
   plugins come, every few minutes, so that those are forgotten which were removed without us; of one when a request is about it.
 */
#pragma once

#include "core/plugins/list.h"
#include "docker/hooks/settings.h"
#include "translate/docker/route.h"

struct docker_hooks;
struct docker_exchange;

/* What becomes of a request before Docker gets it. */
struct docker_verdict {
    /* Not STATUS_OK: the caller gets this instead of Docker's answer: 400 for INVALID_ARGUMENT, else 500, with {"message": TEXT}
       as Docker fails. */
    struct error error;
    bool changed;      /* `body` is sent in place of the caller's */
    struct bytes body; /* in the exchange's memory; lives as long as the exchange */
};

/* Without plugins. NULL: out of memory, or no thread can be started. */
struct docker_hooks *docker_hooks_new(const struct docker_hooks_settings *settings);

/* All exchanges must have ended; hooks after requests are cancelled, without `idle`. What was asked of the worker ends before
 * worker_run returns. */
void docker_hooks_free(struct docker_hooks *hooks);

/* Puts these plugins in place of those before. The list stays the caller's; NULL: none. */
void docker_hooks_set_plugins(struct docker_hooks *hooks, const struct plugin_list *list);

/* Hooks after requests that run or wait. */
size_t docker_hooks_pending(const struct docker_hooks *hooks);

/* Calls the plugins for a request with that body, which `route` and `body` must outlive until docker_exchange_end; of
   DOCKER_START and DOCKER_UPDATE as well as DOCKER_CREATE, the whole body is needed. Leads to one `done`, perhaps before this
   returns, which must not end the exchange before that. NULL: out of memory, `done` is not called. */
struct docker_exchange *docker_exchange_start(struct docker_hooks *hooks, const struct docker_route *route, struct bytes body,
                                              void (*done)(void *state, const struct docker_verdict *verdict), void *state);

/* A request whose body is too long to be shown to plugins. false: some plugin must see it, one whose failure fails the request:
   RESOURCE_EXHAUSTED, what the caller gets in place of Docker's answer. Else it passes without hooks, which is logged. */
bool docker_hooks_pass_unseen(const struct docker_hooks *hooks, const struct docker_route *route, struct error *error);

/* Docker answered with that HTTP status; `body` is the answer's for DOCKER_CREATE (it has the new id), else empty. Learns from
   it. Hooks after the request are queued when this returns. */
void docker_exchange_answered(struct docker_exchange *exchange, int status, struct bytes body);

/* Both sides are done, or the caller is gone: frees it; if `done` has not run it will not. */
void docker_exchange_end(struct docker_exchange *exchange);
