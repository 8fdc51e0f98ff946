/* One pass over the bytes of a message, driven by a walk table: copies, maps names, drops, refuses, carries. It also checks the
   message: if decoders disagree about something in it, the walk refuses it, with the field's path, before anything decodes it. */
#pragma once

#include "translate/walk/context.h"
#include "translate/walk/path.h"

/* Walks one message; `out` is `in` if nothing in it had to change, otherwise new bytes in the arena. `frame` is its position,
   NULL, or without a field, at the top. INVALID_ARGUMENT in a request, INTERNAL in a response: malformed; the text has the path.
   RESOURCE_EXHAUSTED: the arena's cap or the limit of elements. */
bool walk_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                  struct bytes *out, struct error *error);
