/* One request and its answer. For the files of this folder; docker_hooks.h has what others call. */
#pragma once

#include "core/plugins/round.h"
#include "docker/hooks/hooks.h"
#include "docker/hooks/known.h"
#include "docker/hooks/lookup.h"
#include "translate/docker/request.h"

/* Bytes of a body of DOCKER_START that say nothing: as much as Docker itself takes for none. */
#define EXCHANGE_NO_BODY 2

struct docker_exchange {
    struct docker_hooks *hooks;
    struct arena *arena;
    const struct docker_route *route;
    struct bytes body;
    void (*done)(void *state, const struct docker_verdict *verdict);
    void *state;
    enum hook_point point;        /* HOOK_NONE: no hook concerns it */
    bool found;                   /* the facts of its pod or container are known */
    bool left_alone;              /* no plugin is called, by the pod's label */
    bool has_environment;         /* that of the container is among the facts */
    bool other_parent;            /* the pod's cgroup parent is not the one that the request has */
    struct docker_container made; /* of DOCKER_CREATE: as the request has it */
    struct hook_facts facts;
    struct hook_facts original; /* before the first plugin */
    struct plugin_round *round;
    struct docker_lookup *lookup; /* under way */
    struct docker_verdict verdict;
};

/* Finds the facts, and leads to docker_exchange_found or docker_exchange_pass, perhaps before this returns; or to
 * docker_exchange_fail. */
void docker_exchange_find(struct docker_exchange *exchange);

/* The turns of the plugins that want the stage before the exchange's point. NULL: out of memory. */
struct plugin_round *docker_exchange_round(struct docker_exchange *exchange);

/* The facts are known: calls the plugins. */
void docker_exchange_found(struct docker_exchange *exchange);

/* No hook concerns it. */
void docker_exchange_pass(struct docker_exchange *exchange);

/* Docker does not get it. */
void docker_exchange_fail(struct docker_exchange *exchange, const struct error *error);
