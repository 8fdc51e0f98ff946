/* Maps names between the caller's view of the node and a runtime's. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/schema.h"

/* A mapped name: `front`, followed by `rest`. Prefixes are added and removed without a copy of the name. */
struct mapped_name {
    struct bytes front; /* in the arena, in the name, or in memory that outlives the call; mostly empty or a prefix */
    struct bytes rest;  /* the end of the original name: mostly all of it; may be empty */
};

/* Leaves a name unchanged. Copies member by member: a copy of the whole struct, right after it was filled from registers, would
   make processors wait for the stores, and lists consist of names. */
static inline void mapped_name_same(struct mapped_name *mapped, struct bytes name)
{
    mapped->front.data = NULL;
    mapped->front.len = 0;
    mapped->rest.data = name.data;
    mapped->rest.len = name.len;
}

/* Maps the caller's names to the runtime's, or the reverse for a response. */
struct names {
    void *state;
    /* What `map` puts in front of each name of a kind that is not empty, whatever the name and `carried`: then it need not be
       called. Empty: it must be. */
    struct bytes fronts[NAME_KIND_COUNT];
    unsigned kinds; /* bit 1 << NAME_… for each kind that can differ; names of other kinds pass unchanged, without a call */
    /* Maps one name. `carried` is false if the other side has no field for it: the mapper may return an empty name if the other
       side does not need it; otherwise the field's rule decides. false with an error refuses the call; for an item of a
       list response, STATUS_ABORTED drops only that item. Called once for each occurrence, in the order of the bytes. */
    bool (*map)(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                struct mapped_name *mapped, struct error *error);
};
