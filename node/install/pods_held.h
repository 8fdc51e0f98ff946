/* Pods that a kubelet would no longer see without crigate. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"

/* Whether a runtime other than the one at `stays` holds pods, or may: one of the runtime map, or one that the running crigate, at
   `control`, still serves by an earlier map. Prints on standard error which runtime holds which pods, or which one cannot be
   asked. A runtime that does not answer is taken to hold what crigate knows of it. A map with mistakes, while crigate does not
   answer, is taken to have such a runtime. */
bool pods_held_by_others(const char *stays, const char *control, struct arena *arena);

/* Whether the runtime at that endpoint has plain ids in the runtime map, or there is no such map or runtime. */
bool pods_have_plain_ids(const char *stays);
