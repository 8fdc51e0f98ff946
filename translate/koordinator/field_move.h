/* Moves fields between messages of the model and of the hook protocol, as bytes. The wire form is kept, so that strings may hold
   any byte, and nothing grows on the way. */
#pragma once

#include "base/bytes/error.h"
#include "translate/bytes/output.h"
#include "translate/koordinator/field_links.h"

/* Appends to the output, which holds the beginning of a message, what an encoded message has in the linked field. A message is
   there afterwards if it was, even if it is empty; of a message that occurs several times all occurrences count. Strings that
   cannot be sent (see translate/hooks/text.h) are left out. false: INTERNAL for malformed bytes (answers are checked before),
   RESOURCE_EXHAUSTED at the arena's cap. */
bool field_move(struct bytes bytes, const struct field_link *link, struct walk_output *output, struct error *error);

/* The same for all fields that two messages share. */
bool field_move_all(struct bytes bytes, const struct message_link *link, struct walk_output *output, struct error *error);

/* The same into an inner message, the field `outer` of what is written, which is there only if it has something in it. */
bool field_move_into(struct bytes bytes, const struct field_link *link, uint32_t outer, struct walk_output *output,
                     struct error *error);

/* The content of a message field, which all of its occurrences are, one behind the other. It is borrowed, or in the arena.
   `*found`: there is one. false: as above. */
bool field_take_message(struct bytes bytes, uint32_t number, const char *name, struct arena *arena, struct bytes *content,
                        bool *found, struct error *error);
