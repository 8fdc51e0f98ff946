/* Filters of ListPodSandbox and ListContainers, which the gateway applies when it answers for a runtime. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/lists/item.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

struct list_filter_label {
    struct bytes key;
    struct bytes value;
    uint64_t met; /* the item that had it last, by its number */
};

/* The filter of a list request. Zero-initialised, or with empty ids, it matches everything. */
struct list_filter {
    struct bytes id;             /* a whole id, or its beginning */
    struct bytes pod_sandbox_id; /* the same */
    bool has_state;
    int32_t state;
    struct list_filter_label *labels; /* by key; an item must have all of them, with these values */
    size_t label_count;
    uint64_t pass; /* the number of items that were compared */
};

/* Reads the filter of a ListPodSandboxRequest or ListContainersRequest; a request without one matches all. The filter borrows
   from the request and the arena. false: INVALID_ARGUMENT if it is malformed, RESOURCE_EXHAUSTED if the arena is at its cap. */
bool list_filter_read(struct list_filter *filter, enum id_kind kind, enum dialect dialect, struct bytes request,
                      struct arena *arena, struct error *error);

/* Whether the item passes the filter. Names are compared unchanged: request and item must both have the caller's names, or both
   the runtime's. Dialects may differ: states have the same numbers in all. */
bool list_filter_matches(struct list_filter *filter, const struct list_item *item);
