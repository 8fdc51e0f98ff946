/* Where pods are, by uid, and which images they miss there: so that images of pods on other runtimes than the primary need no
   prefix. Bounded; nothing here must be right for a call to be right, and no credential is ever kept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/bytes.h"

struct pod_places;

struct pod_places *pod_places_new(void);

/* NULL is allowed. */
void pod_places_free(struct pod_places *places);

/* The pod with that uid was created on the runtime in that slot. The oldest of many is forgotten. */
void pod_places_remember(struct pod_places *places, struct bytes uid, unsigned slot);

/* The slot; false when the pod is not known. */
bool pod_places_find(const struct pod_places *places, struct bytes uid, unsigned *slot);

/* The primary answered for an image under the name asked for: with these ids, tags and digests. */
void pod_places_image_answered(struct pod_places *places, struct bytes asked, const struct bytes *names, size_t count);

/* A container could not be made on another runtime that lacks that image. */
void pod_places_image_missed(struct pod_places *places, struct bytes image);

/* Whether the next question for that image must be answered "absent", so that the caller pulls it; true once for each miss. */
bool pod_places_take_miss(struct pod_places *places, struct bytes asked);
