/* Objects of JSON as Docker reads them: with Go's encoding/json, into structs. That package takes a key for a field if they are
   the same except for the case of letters, where the long s and the Kelvin sign count as letters, too; and of a key that is there
   twice it merges both values, or takes the last. So that Docker finds what we find, an object that has a key of ours in another
   form, or twice, is refused. Keys that are not ours stay what they are. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

/* Finds the values under these keys: as their texts; empty for a key that is missing. false: INVALID_ARGUMENT if the text is not
   object, malformed, or has one of the keys in another form or twice; RESOURCE_EXHAUSTED at the arena's cap. */
bool docker_object_read(struct bytes text, const char *const *keys, size_t count, struct arena *arena, struct bytes *values,
                        struct error *error);

/* Whether there is no value: the key is missing, or null. */
bool docker_is_null(struct bytes value);

/* Each reads a value of one type; of none, 0 or an empty text. INVALID_ARGUMENT, with the key, for a value of another type, a
   number that is not a whole number of 64 bits, or a string that is not UTF-8 or has a NUL. */
bool docker_read_number(const char *key, struct bytes value, int64_t *number, struct error *error);
bool docker_read_text(const char *key, struct bytes value, struct arena *arena, struct bytes *text, struct error *error);
