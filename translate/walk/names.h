/* How names differ between the caller's view of the node and a runtime's. */
#pragma once

#include <stdbool.h>

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/schema/schema.h"

/* What a name becomes: `front`, and behind it `rest`. A prefix comes and goes without a copy of the name. */
struct mapped_name {
    struct bytes front; /* lives in the arena, in the name, or for longer than the call; mostly empty or a prefix */
    struct bytes rest;  /* an end of the name as it came: mostly all of it; may be empty */
};

/* Leaves a name as it is. Part by part: where it is copied as a whole, right after it was put together from registers, processors
   wait for the stores, and lists consist of names. */
static inline void mapped_name_same(struct mapped_name *mapped, struct bytes name)
{
    mapped->front.data = NULL;
    mapped->front.len = 0;
    mapped->rest.data = name.data;
    mapped->rest.len = name.len;
}

/* How names of the caller's view become names of the runtime's, or the other way round for a response. */
struct names {
    void *state;
    unsigned kinds; /* bit 1 << NAME_… for each kind that differs at all: others are not asked for, and pass as they are */
    /* Maps one name. `carried` is false when the other side has no field for it: a mapper that knows the name to be needless
       there may answer empty, otherwise the field's rule decides. false with an error refuses the call; from the items of a list
       response, one with STATUS_ABORTED takes just that item out. Called once for each occurrence, in the order of the bytes. */
    bool (*map)(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                struct mapped_name *mapped, struct error *error);
};
