/* Copies a list while a runtime streams it, so that the complete list can be learned at its end. Only one copy of each kind is
   made at a time, however many callers there are. A copy whose caller is slow gives way to another. */
#pragma once

#include "base/system/buffer.h"

/* Embedded in what reads the stream. Zero-initialised: nothing is copied. */
struct list_copy {
    struct list_copy **place; /* where the runtime has the one that is being made; NULL: this one is not */
    bool slow;                /* its caller does not take what there is: another copy may be made instead */
    struct buffer bytes;
};

/* Begins, unless a copy is being made in that place whose caller is not slow. The struct must live until list_copy_stop. */
void list_copy_start(struct list_copy *copy, struct list_copy **place);

static inline bool list_copy_is_made(const struct list_copy *copy)
{
    return copy->place != NULL;
}

/* Adds a message of the stream, if the copy is made. false: it became too long, and is dropped. */
bool list_copy_add(struct list_copy *copy, struct bytes message, size_t limit);

/* Frees what was copied; does nothing if nothing is. */
void list_copy_stop(struct list_copy *copy);
