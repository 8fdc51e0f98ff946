/* A runtime map in force and the runtimes that it names. A reload swaps it whole; a call keeps the one it began under. */
#pragma once

#include "core/map/map.h"
#include "core/runtimes/runtime.h"

struct generation {
    unsigned references;
    uint64_t number; /* no two of a process have the same */
    struct runtime_map *map;
    struct runtime **runtimes; /* as many and in the same order as in the map; each referenced */
    size_t plain_count;        /* runtimes whose ids carry no prefix; with more than one, an index has the owner of each id */
    struct generation *next;   /* that took its place, referenced: a runtime that it still has may use an entry of that one */
};

/* Takes over the map. Runtimes that `before` (may be NULL) has under the same name, endpoints and api go on with their
   connections; the others are made by `make`, in the order of the map. NULL: out of memory; the map is freed then. The caller
   holds one reference. */
struct generation *generation_new(struct runtime_map *map, struct generation *before,
                                  struct runtime *(*make)(void *state, const struct runtime_entry *entry), void *state);

struct generation *generation_ref(struct generation *generation);

/* The last one releases the runtimes and frees the map. NULL is allowed. */
void generation_unref(struct generation *generation);

static inline struct runtime *generation_primary(const struct generation *generation)
{
    return generation->runtimes[generation->map->primary];
}

/* The peer that an RPC goes to which is routed to the runtime at that position. `method` may be NULL: the runtime. */
static inline struct runtime *generation_peer(const struct generation *generation, size_t position, const struct method *method)
{
    return runtime_serving(generation->runtimes[position], method ? method->service : SERVICE_RUNTIME);
}

/* The runtime of that name, or NULL. */
struct runtime *generation_find(const struct generation *generation, const char *name);
