/* Checks a plugin's answer, which is hostile, before anything reads it. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Whether the bytes are a message of that type: well-formed, each known field with the wire type of the schema, no message twice
   where there is one, each string UTF-8 without NUL. Unknown fields are skipped. false: INVALID_ARGUMENT with the path of the
   field, without its value; RESOURCE_EXHAUSTED if it has more than HOOK_ANSWER_FIELDS. */
bool answer_check(const ProtobufCMessageDescriptor *message, struct bytes bytes, struct error *error);
