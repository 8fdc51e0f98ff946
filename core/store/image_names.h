/* Remembers the names by which callers asked for images whose ids they use afterwards, for runtimes that need the name: CRI-O
   with a policy that requires signatures. Only for callers whose dialect cannot express it. Limited in size; the oldest is
   forgotten. */
#pragma once

#include "base/bytes/bytes.h"
#include "translate/schema/schema.h"

struct image_names;

/* NULL when out of memory. */
struct image_names *image_names_new(void);

/* NULL is allowed. */
void image_names_free(struct image_names *names);

/* Whose request it was: callers are distinguished by their dialect, because a node has one kubelet, and tools speak a newer
   dialect. */
struct image_names_speaker {
    enum dialect caller;
    unsigned slot; /* of the runtime */
};

/* Records that it asked for `name`, the runtime's name, and got `reference`. Both are copied; texts that are longer than 1 KiB,
   or empty, are not remembered. */
void image_names_learn(struct image_names *names, struct image_names_speaker speaker, struct bytes reference, struct bytes name);

/* The name; empty when it is not known. Borrowed until something is learned. */
struct bytes image_names_find(const struct image_names *names, struct image_names_speaker speaker, struct bytes reference);
