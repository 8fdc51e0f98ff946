/* What an answer repeats of the request: plugins often answer with all that they were sent. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "translate/hooks/protocol.h"

/* The most fields that a message of answers has. */
#define ECHO_FIELDS_MAX 8

/* What a request has of the fields that an answer may repeat, which are those of the same names. It borrows from the request. In
   the arena; NULL: the arena's cap. */
struct hook_sent *echo_prepare(const ProtobufCMessageDescriptor *request_type, struct bytes request,
                               const ProtobufCMessageDescriptor *answer_type, struct arena *arena);

/* Drops from an answer each field that is exactly as in the request: as often, with the same bytes, for a map in any order. What
   such a field says is known and was checked, and an answer without it says the same. The rest stays, in its order; so does all
   of an answer that is malformed or has too many fields. `rest` is in the arena, or the answer itself. false: the arena's cap. */
bool echo_drop(const struct hook_sent *sent, struct bytes answer, struct arena *arena, struct bytes *rest);
