/* Items of ListPodSandbox and ListContainers as bytes: reads them one by one, creates them from the request that created the
   thing, and checks them. Fields are found in the schema by their names. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/bytes/pieces.h"
#include "translate/bytes/wire.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

/* One pod or container of a list, borrowed from the list. */
struct list_item {
    struct bytes whole;   /* with its tag and length: consecutive items are a list response again */
    struct bytes message; /* the item alone */
    struct bytes id;
    struct bytes pod_sandbox_id; /* of a container; empty for a pod */
    struct bytes pod_uid;        /* of a pod; empty for a container */
    int32_t state;
    uint32_t labels; /* number of the field that holds the labels */
};

/* Iterates over the items of an encoded list response. */
struct list_items {
    bool malformed; /* the bytes are malformed: check this after the last item */
    struct wire_reader reader;
    struct pieces rest; /* the pieces after it */
    uint32_t number;    /* of the items in the response */
    struct {
        uint32_t id;
        uint32_t pod_sandbox_id; /* 0 where items have none */
        uint32_t state;
        uint32_t labels;
        uint32_t metadata;     /* 0 where it has no uid */
        uint32_t metadata_uid; /* within the metadata; 0 where it has none */
    } fields;                  /* of an item */
};

/* The field of a ListPodSandboxResponse or ListContainersResponse that holds the items, which is its only field; NULL if the
   dialect has no such message. */
const struct schema_field *list_items_field(enum id_kind kind, enum dialect dialect);

/* Starts before the first item of a ListPodSandboxResponse or ListContainersResponse of that dialect. The bytes must outlive the
   items. */
struct list_items list_items_of(enum id_kind kind, enum dialect dialect, struct bytes list);

/* The same for a list in pieces, each of which is a list response of its own (see pieces_next_run). */
struct list_items list_items_of_pieces(enum id_kind kind, enum dialect dialect, struct pieces list);

/* The next item; false at the end and if the bytes are malformed. */
bool list_items_next(struct list_items *items, struct list_item *item);

/* Removes from the front of an encoded message that consists of one repeated field, as list responses do, as many items as fit
   into `most` bytes, but at least one, and returns them as such a message. `list` keeps the rest; call this while it is not
   empty. false: the bytes are malformed. */
bool list_cut(struct bytes *list, size_t most, struct bytes *part);

/* Predicts what the next list shows of a pod or container that was just created: a list response with that one item, in the
   arena. It is built from the RunPodSandboxRequest or CreateContainerRequest, and in the dialect of that request; so pass the
   request as it went to the runtime. `created_at` is in nanoseconds since 1970. The state is that of a new thing (ready,
   created); the image reference is empty. false: INVALID_ARGUMENT for a malformed request, RESOURCE_EXHAUSTED if the arena is at
   its cap. */
bool list_item_compose(enum id_kind kind, enum dialect dialect, struct bytes request, struct bytes id, int64_t created_at,
                       struct arena *arena, struct bytes *list, struct error *error);

/* Reads id and state from a PodSandboxStatusResponse or ContainerStatusResponse. false if the bytes are malformed or contain no
   id. `id` is borrowed from the response. */
bool list_item_of_status(enum id_kind kind, enum dialect dialect, struct bytes response, struct bytes *id, int32_t *state);

/* Whether untrusted bytes are a well-formed list or status at every level: each known field has its wire type, and nothing is cut
   off. */
bool list_is_well_formed(enum id_kind kind, enum dialect dialect, struct bytes list);
bool status_is_well_formed(enum id_kind kind, enum dialect dialect, struct bytes response);
