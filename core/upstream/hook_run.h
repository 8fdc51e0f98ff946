/* Hooks of an upstream call: plugins that see and change the request before the runtime gets it, and hooks after the answer. */
#pragma once

#include "core/upstream/call.h"

/* Converts the request for the runtime, with what hooks changed (NULL: nothing): into seen.sent, and its losses into `report`.
   `configurations` (by enum model_kind) may be NULL. false, with the reason: it cannot be converted, and seen.sent is as it was.
 */
typedef bool hook_run_convert(struct upstream_call *upstream, const struct hook_adjustment *adjustment,
                              struct bytes *configurations, struct error *error);

/* Whether hooks have to do with the upstream call. */
bool hook_run_concerns(const struct upstream_call *upstream);

/* Calls the plugins before the call, whose request is converted already, with these configurations. Leads to one `done`, perhaps
   before it returns; upstream->error has the reason if the call must not go to the runtime. */
void hook_run_start(struct upstream_call *upstream, const struct bytes *configurations, hook_run_convert *convert,
                    void (*done)(struct upstream_call *upstream));

/* The name of the plugin whose answer the upstream call waits for before it goes to the runtime; NULL: for none. */
const char *hook_run_asks(const struct upstream_call *upstream);

/* The runtime answered OK, and its answer is in one piece. */
void hook_run_answered(struct upstream_call *upstream);

/* After the reply: the plugins after the call run now. Also frees what hooks hold, and keeps the file of facts short. */
void hook_run_end(struct upstream_call *upstream);
