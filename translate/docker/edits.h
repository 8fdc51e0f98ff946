/* Changes of a JSON text in its place: what they do not name stays byte for byte, with unknown keys, the form of numbers and the
 * order of keys. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

struct docker_edit {
    struct bytes place; /* the part of the text that goes; empty: something is added in front of that byte */
    struct bytes text;
    size_t number; /* of the edit, so that additions at one place keep their order */
};

/* Zero-initialised except for the arena. */
struct docker_edits {
    struct arena *arena;
    struct docker_edit *items;
    size_t count;
    size_t room;
};

/* Each of these adds an edit. false: out of memory. */

/* This part of the text becomes another, which is in the arena or lives as long. */
bool docker_edits_replace(struct docker_edits *edits, struct bytes part, struct bytes text);

/* A member of the object, whose text begins with its bracket, gets this value, a JSON text: in place of `value`, the one that
   it has; or, if that is empty, as a new member. */
bool docker_edits_set(struct docker_edits *edits, struct bytes object, struct bytes value, struct bytes key, struct bytes text);

/* The string as JSON, in the arena. false: out of memory. */
bool docker_quote(struct bytes string, struct arena *arena, struct bytes *json);

/* The number as JSON, likewise. */
bool docker_number(int64_t number, struct arena *arena, struct bytes *json);

/* Makes the edits in `text`, of which all parts are. Parts must not overlap. false: RESOURCE_EXHAUSTED at the arena's cap. */
bool docker_edits_run(struct docker_edits *edits, struct bytes text, struct bytes *edited, struct error *error);
