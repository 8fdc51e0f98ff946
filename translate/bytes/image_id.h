/* Image ids that are digests: they identify content, not a repository. */
#pragma once

#include "base/bytes/bytes.h"

/* Whether a name is only a digest: "sha256:" and 64 hex digits, or the 64 hex digits alone, as CRI-O writes them. A repository
   digest ("name@sha256:…") is not. */
bool image_id_is_digest(struct bytes name);

/* Whether a reference to an image is a name, by which a user may have requested it: no digest alone, and none with a scheme,
   which is Docker's own way to write an id. A repository digest is one. */
bool image_id_is_name(struct bytes reference);

/* The digits of such a name, borrowed from it. */
struct bytes image_id_digits(struct bytes name);
