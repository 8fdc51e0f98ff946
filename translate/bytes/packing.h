/* Messages of protobuf-c in an arena. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "base/bytes/arena.h"

/* Encodes the message into the arena. false when out of memory. */
bool arena_pack(struct arena *arena, const ProtobufCMessage *message, struct bytes *packed);

/* A message of that kind, decoded into the arena with all that it points to. NULL if the bytes are none, or memory is short. */
void *arena_unpack(struct arena *arena, const ProtobufCMessageDescriptor *kind, struct bytes bytes);
