/* How long a call to a runtime may take: the runtime's budget, or until the caller's deadline. */
#pragma once

#include "core/knowledge/observation.h"

/* Milliseconds that the upstream call may take; 0: only the caller's deadline counts. Lists and statuses of pods and containers
   have a budget, and so has any call that keeps other runtimes' answers waiting, unless it is waived. */
int64_t budget_of(const struct observation *seen);

/* Whether no budget ends the upstream call: the runtime is the only one of the map, so that nobody else waits for it, and nothing
   that was last seen of it could answer instead. Such a call goes to a runtime that hangs, too. */
bool budget_is_waived(const struct observation *seen);

/* Whether the upstream call has a budget that is waived: a call that goes over it does not end, but the runtime hangs. */
bool budget_is_watched(const struct observation *seen);
