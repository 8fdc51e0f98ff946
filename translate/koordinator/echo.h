/* What an answer repeats of the request: plugins often answer with all that they were sent. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "translate/hooks/protocol.h"

/* Above the numbers of all fields. */
#define ECHO_NUMBERS 16

/* The fields that requests and answers share: their places among the fields of answers, by the number in each. */
struct echo_fields {
    size_t count; /* of the fields of answers */
    uint8_t sent[ECHO_NUMBERS];
    uint8_t answered[ECHO_NUMBERS];
};

/* By their names. */
struct echo_fields echo_fields_of(const ProtobufCMessageDescriptor *request, const ProtobufCMessageDescriptor *answer);

/* What a request has of the fields that an answer may repeat. It borrows from both. In the arena; NULL: the arena's cap. */
struct hook_sent *echo_prepare(const struct echo_fields *fields, struct bytes request, struct arena *arena);

/* Drops from an answer each field that is exactly as in the request: as often, with the same bytes, for a map in any order. What
   such a field says is known and was checked, and an answer without it says the same. The rest stays, in its order; so does all
   of an answer that is malformed or has too many fields. `rest` is in the arena, or the answer itself. false: the arena's cap. */
bool echo_drop(const struct hook_sent *sent, struct bytes answer, struct arena *arena, struct bytes *rest);
