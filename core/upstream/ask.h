/* The exchange of an upstream call: its request, as it was converted, goes to the runtime. */
#pragma once

#include "core/upstream/call.h"

/* Sends it. Leads to one `answered`, later, with what arrived in upstream->exchange and the status in seen.status. false, with
   INTERNAL in upstream->error: the transport refused, and `answered` does not run. */
bool ask_runtime(struct upstream_call *upstream, void (*answered)(struct upstream_call *upstream));

/* When its time is over: at the caller's deadline, or after the budget if that begins now and ends before it. */
gpr_timespec ask_deadline(const struct upstream_call *upstream);
