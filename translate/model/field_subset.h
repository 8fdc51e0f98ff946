/* Extracts some fields of an encoded message and puts them back after a change, while the bytes of the others stay unchanged. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"

/* Fields by their numbers, as bits 1 << number. */
#define FIELD_SUBSET_ALL UINT64_MAX

/* The fields of a well-formed message that are in the subset, as a message: in the arena, or the message itself if all are in it.
   false: the arena is at its cap. */
bool field_subset_take(struct bytes message, uint64_t subset, struct arena *arena, struct bytes *fields);

/* Replaces the message's fields of the subset by `fields`: each is put where the first of its number was, or at the end if there
   was none. The result is in the arena, or is `fields` itself if the subset is all. false: the arena is at its cap. */
bool field_subset_put(struct bytes message, uint64_t subset, struct bytes fields, struct arena *arena, struct bytes *changed);
