/* The owner of a name by the runtime map alone: the runtime whose prefix an id or an image has. */
#pragma once

#include "base/bytes/bytes.h"
#include "core/map/map.h"

/* The runtime whose prefix an id of a pod or container has; false for a plain id. `local` gets the id without the prefix, or as
   it is, borrowed from `id`. */
bool owner_by_prefix(const struct runtime_map *map, struct bytes id, size_t *owner, struct bytes *local);

/* An image name in parts: SCHEME PREFIX/ REST, where scheme ("docker-pullable://") and prefix may be absent. */
struct image_parts {
    struct bytes scheme; /* with its "://" */
    struct bytes rest;   /* without prefix and slash */
};

/* The image's scheme, "docker-pullable://"; empty when it has none. */
struct bytes owner_scheme_of_image(struct bytes image);

/* Takes the runtime's prefix off an image name without scheme; false when it has none. See owner_of_image. */
bool owner_take_image_prefix(const struct runtime_entry *runtime, struct bytes *image);

/* The runtime whose image prefix a name has; false when it has none. A prefix that does not begin with a registry is also found
   behind "docker.io/", because kubelets put that in front of such names. `parts` is borrowed from `image`. */
bool owner_of_image(const struct runtime_map *map, struct bytes image, size_t *owner, struct image_parts *parts);

/* The runtime that serves a RuntimeClass handler; false when the map names none. */
bool owner_of_handler(const struct runtime_map *map, struct bytes handler, size_t *owner);

/* The runtime of that name; false when there is none. */
bool owner_by_name(const struct runtime_map *map, struct bytes name, size_t *owner);
