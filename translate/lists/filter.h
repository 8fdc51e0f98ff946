/* Filters of ListPodSandbox and ListContainers, applied by the gateway where it answers for a runtime. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/lists/item.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

struct list_filter_label {
    struct bytes key;
    struct bytes value;
    uint64_t met; /* the pass in which an item last had it */
};

/* What a list request asks for. Zero-initialised it matches everything. Empty ids ask for nothing. */
struct list_filter {
    struct bytes id;             /* whole, or the beginning */
    struct bytes pod_sandbox_id; /* the same */
    bool has_state;
    int32_t state;
    struct list_filter_label *labels; /* by key; an item has all of them, with these values */
    size_t label_count;
    uint64_t pass; /* counts the items that were matched */
};

/* Reads the filter of a ListPodSandboxRequest or ListContainersRequest; a request without one matches all. The filter borrows
   from the request and the arena. false: INVALID_ARGUMENT when it is malformed, RESOURCE_EXHAUSTED when the arena is at its cap.
 */
bool list_filter_read(struct list_filter *filter, enum id_kind kind, enum dialect dialect, struct bytes request,
                      struct arena *arena, struct error *error);

/* Whether the filter asks for that item. Names are compared as they are: request and items must both be in the caller's view of
   the node, or both in the runtime's. Dialects may differ: states have the same numbers in all. */
bool list_filter_matches(struct list_filter *filter, const struct list_item *item);
