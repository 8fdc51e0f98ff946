/* By which names callers asked for images that they name by an id afterwards, for runtimes that want to hear the name: CRI-O
   with a policy that wants signatures. Only of callers that cannot say it themselves. Bounded; the oldest is forgotten. */
#pragma once

#include "translate/bytes/bytes.h"
#include "translate/schema/schema.h"

struct image_names;

/* NULL when there is no memory. */
struct image_names *image_names_new(void);

/* NULL is allowed. */
void image_names_free(struct image_names *names);

/* Whose words: callers are told apart by their dialect, as there is one kubelet on a node, and tools speak a newer one. */
struct image_names_speaker {
    enum dialect caller;
    unsigned slot; /* of the runtime */
};

/* It asked for `name`, as the runtime knows it, and was told `reference`. Both are copied; what is longer than 1 KiB, or empty,
   is not remembered. */
void image_names_learn(struct image_names *names, struct image_names_speaker speaker, struct bytes reference, struct bytes name);

/* The name; empty when it is not known. Borrowed until something is learned. */
struct bytes image_names_find(const struct image_names *names, struct image_names_speaker speaker, struct bytes reference);
