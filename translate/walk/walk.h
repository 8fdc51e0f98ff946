/* One pass over the bytes of a message, driven by a walk table: copies, maps names, drops, refuses, carries. It is the gatekeeper
   as well: what decoders disagree about is refused with the field's path before anything decodes it. */
#pragma once

#include "translate/walk/context.h"
#include "translate/walk/path.h"

/* Walks one message; `out` is `in` when nothing in it had to change, otherwise new bytes in the arena. `frame` says where it is,
   NULL, or without a field, at the top. INVALID_ARGUMENT in a request, INTERNAL in a response: not the message; the text says
   where. RESOURCE_EXHAUSTED: the arena's cap or the budget of elements. */
bool walk_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                  struct bytes *out, struct error *error);
