/* Equal calls share one composition, where the behaviour table has `shared` and the runtime lacks the RPC: statistics of pods,
   which take three lists of the runtime. The rules are those of share.h. */
#pragma once

#include "core/upstream/compose_run.h"

/* As compose_start for COMPOSE_LACKING; but if an equal call composes just now, waits for what it composes. `done` runs once,
   perhaps before this returns, unless the result is false. A failure is that of all, unless it came of the deadline or the
   cancellation of the call that composed: then one of those that wait composes again. */
bool share_composition(struct upstream_call *upstream, compose_done *done);
