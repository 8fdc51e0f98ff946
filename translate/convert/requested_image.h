/* By which name the user requested the image of a container, filled in for callers that cannot express it although they speak the
   runtime's own dialect: kubelets of 1.23 to 1.27 speak v1, which has ImageSpec.user_specified_image since 1.28. For callers of
   older dialects, translate/model/image.c does the same. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/method.h"

/* `request` is a valid CreateContainer of that dialect. Unless it says the name itself, `out` is in the arena and has `name` as
   user_specified_image, or without one the image's own reference if that is a name; else `out` is `request`. RESOURCE_EXHAUSTED:
   the arena's cap is exceeded. */
bool requested_image_fill(const struct method *method, enum dialect dialect, struct bytes request, struct bytes name,
                          struct arena *arena, struct bytes *out, struct error *error);
