/* Equal calls share one call to a runtime, where the behaviour table has `shared`: statistics, which a runtime may need seconds
   for, are scraped by several programs at once.

   A call waits for the answer of another one, the leading one, if both have the same RPC, the same bytes for the runtime in the
   same dialect and the same metadata (except for traceparent and tracestate: in a trace, the runtime's part belongs to the
   leading call), if the leading one is not older than a second, and if no call that changes something at the runtime has ended
   since it began: who has started a container sees it in the statistics. So nobody gets older numbers than of a second ago, and
   nobody gets them from before what it has done itself.

   Nothing else is shared. Each call has its own deadline, budget and cancellation, and its own conversion, names and memory; the
   bytes that came are referenced. If the leading call ends without an answer because of its own caller (cancelled, or its
   deadline or budget was over), the one that waits longest asks the runtime again, and the others wait for that, with a budget of
   their own from then on. Any other failure is the runtime's, and that of all. */
#pragma once

#include "core/upstream/call.h"

/* What becomes of the upstream call. */
struct share_callbacks {
    /* It has ended, with its own exchange or that of another call: what arrived is in upstream->exchange, if anything arrived;
       the status in seen.status. */
    void (*answered)(struct upstream_call *upstream);
    /* The transport refused it, for the reason in upstream->error. */
    void (*refused)(struct upstream_call *upstream);
    /* Whether the runtime may be asked after it has waited; otherwise the upstream call has ended. */
    bool (*may_ask)(struct upstream_call *upstream);
};

/* Asks the runtime, or waits for the answer of an equal call. Leads to one of these callbacks, perhaps before it returns.
   `callbacks` must outlive the upstream call; upstream_cancel ends it early. */
void share_ask(struct upstream_call *upstream, const struct share_callbacks *callbacks);
