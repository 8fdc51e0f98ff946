/* How long a call may take at a runtime: the runtime's budget, or as long as its caller has. */
#ifndef CRIGATE_UPSTREAM_BUDGET_H
#define CRIGATE_UPSTREAM_BUDGET_H

#include "core/memory/observation.h"

/* Milliseconds that the upstream call may take; 0: the caller's own deadline alone counts. Lists and statuses of pods and
   containers have a budget, and whatever else would keep other runtimes' answers waiting, unless it is waived. */
int64_t budget_of(const struct observation *seen);

/* Whether no budget ends the upstream call: nobody else waits for it, because the runtime is the only one of the map, and
   nothing that was last seen of it could answer instead. Such a call goes to a runtime that hangs, too. */
bool budget_is_waived(const struct observation *seen);

/* Whether the upstream call would have a budget, which is waived: the runtime hangs all the same when the call goes over
 * it. */
bool budget_is_watched(const struct observation *seen);

#endif
