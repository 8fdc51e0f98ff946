/* Pods that a kubelet would no longer see if crigate were out of its way. */
#pragma once

#include <stdbool.h>

#include "translate/bytes/arena.h"

/* Whether a runtime of the map other than the one at `stays` holds pods, or may: prints on standard error which runtime holds
   which pods, or which one cannot be asked. A runtime that does not answer is taken to hold what the running crigate, at
   `control`, knows of it. */
bool pods_held_by_others(const char *stays, const char *control, struct arena *arena);

/* Whether the runtime at that endpoint has plain ids in the runtime map, or there is no such map or runtime. */
bool pods_have_plain_ids(const char *stays);
