/* Some fields of an encoded message, taken out of it and put back changed, while the others stay the bytes that they are. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/bytes/bytes.h"

/* Fields by their numbers, as bits 1 << number. */
#define FIELD_SUBSET_ALL UINT64_MAX

/* The fields of a well-formed message that are in the subset, as a message of their own: in the arena, or the message itself
   where all are wanted. false: the arena is at its cap. */
bool field_subset_take(struct bytes message, uint64_t subset, struct arena *arena, struct bytes *fields);

/* The message with `fields`, which are all in the subset, in place of its own ones: each where the first of its number was, and
   at the end where there was none. In the arena, or `fields` itself where the subset is all. false: the arena is at its cap. */
bool field_subset_put(struct bytes message, uint64_t subset, struct bytes fields, struct arena *arena, struct bytes *changed);
