/* Image ids that are digests: they name content, not a place. */
#pragma once

#include "translate/bytes/bytes.h"

/* Whether a name is a digest alone: "sha256:" and 64 hex digits, or the 64 hex digits as CRI-O writes them. A repository digest
   ("name@sha256:…") is none. */
bool image_id_is_digest(struct bytes name);
