/* Which images one runtime has and another lacks. Pure. */
#pragma once

#include <json-c/json.h>

/* Images are given as runtimes list them, in JSON's form of the newest dialects: objects with `id`, `repoTags`, `repoDigests`,
   `size`; containers likewise, with `imageRef` and `image`. Anything else there counts as absent.

   Two images are the same if they have one id, which is the digest of their configuration, or one digest of their manifest:
   containerd, CRI-O and Docker compute both in the same way, except Docker with containerd's image store, where the id is the
   second.

   Returns, for each image of `here` that is not among `there`, {"name", "id", "size", "pulled", "other", "usedBy"}: its first
   name; its bytes; whether it was pulled from a registry, which may still have it; whether another image has one of its names
   there; and how many of `containers` it is the image of. The caller owns the array; NULL: out of memory. */
struct json_object *images_only_here(struct json_object *here, struct json_object *there, struct json_object *containers);

/* The bytes of all images together, each counted alone: what they share is counted as often as it is shared. */
int64_t images_size(struct json_object *images);
