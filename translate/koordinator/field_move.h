/* Moves fields between messages of the model and of the hook protocol, as bytes, by the descriptors of their stubs. The wire form
   is kept, so that strings may hold any byte, and nothing grows on the way. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "translate/bytes/error.h"
#include "translate/bytes/output.h"

/* Where a field is: in a message, or in a message inside of that. */
struct field_place {
    const ProtobufCMessageDescriptor *message;
    const char *outer; /* the field that holds the inner message; NULL: none */
    const char *name;
};

/* Appends to the output, which holds the beginning of a `to->message`, what an encoded `from->message` has at `from`. Both fields
   are numbers, strings (or bytes), maps of strings (or lists of KeyValue), or messages, of which fields of the same names are
   moved. A message is there afterwards if it was, also if it is empty; of a message that occurs several times all occurrences
   count. Strings that cannot be sent (see translate/hooks/text.h) are left out. false: INTERNAL for malformed bytes
   (answers are checked before), RESOURCE_EXHAUSTED at the arena's cap. */
bool field_move(struct bytes bytes, const struct field_place *from, const struct field_place *to, struct walk_output *output,
                struct error *error);

/* The same for all fields of the same names of two messages. */
bool field_move_all(struct bytes bytes, const ProtobufCMessageDescriptor *from, const ProtobufCMessageDescriptor *to,
                    struct walk_output *output, struct error *error);
