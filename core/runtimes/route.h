/* Decides which runtimes a call goes to: by the behaviour table's row, the runtime map, what was learned, and the request. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "core/runtimes/generation.h"
#include "core/store/id_index.h"
#include "core/store/pod_places.h"
#include "translate/schema/method.h"

/* The input of routing. */
struct route_view {
    const struct generation *generation;
    const struct id_index *index;
    struct pod_places *places;
    const struct method *method;
    enum dialect caller;
    struct bytes request;
    struct arena *arena;
    /* A search has shown that no runtime holds the plain id of the request: the primary must report that. */
    bool nobody_holds_id;
    /* A search has shown that the plain id of the request, this, is the beginning of exactly one id, on the runtime in that slot.
       Empty: it has not. */
    struct bytes beginning;
    unsigned beginning_slot;
};

/* Runtimes by their place in the generation, the primary first if it is among them. */
struct route {
    size_t *targets; /* in the arena */
    size_t count;    /* 0: a filter that nothing can match */
    /* Nothing is known about the request's plain id: ask the targets, which are all runtimes that could hold it, and route again.
     */
    bool must_find_owner;
    enum id_kind kind;
    struct bytes id; /* borrowed from the request */
};

/* The runtime on which pods with a RuntimeClass handler, by the caller's name, are created if no annotation decides: the one that
   lists the handler, else the default, which accepts any if it lists none. false: none. */
bool route_of_handler(const struct runtime_map *map, struct bytes handler, size_t *runtime);

/* INVALID_ARGUMENT: the target annotation names no runtime, or no runtime has the handler. FAILED_PRECONDITION: the runtime takes
   no new pods. RESOURCE_EXHAUSTED: the arena's cap. */
bool route_find(const struct route_view *view, struct route *route, struct error *error);
