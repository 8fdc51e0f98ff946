/* Which runtimes a call goes to: the behaviour table's row, the runtime map, and what the request says. */
#ifndef CRIGATE_CORE_ROUTE_H
#define CRIGATE_CORE_ROUTE_H

#include "core/runtime_map.h"
#include "translate/arena.h"
#include "translate/error.h"
#include "translate/method.h"

/* Runtimes by index in the map, the primary first if it is among them. */
struct route {
    size_t *targets; /* in the arena */
    size_t count;    /* 0: a filter that nothing can match */
};

/* INVALID_ARGUMENT: the target annotation names no runtime, or nobody serves the handler. RESOURCE_EXHAUSTED: the arena's cap. */
bool route_find(const struct runtime_map *map, const struct method *method, enum dialect caller, struct bytes request,
                struct arena *arena, struct route *route, struct error *error);

#endif
