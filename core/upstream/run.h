/* The course of an upstream call: request converted, runtime called, answer converted and learned from. */
#pragma once

#include "core/upstream/call.h"

/* Converts the request and calls the runtime in that place of the request's generation. Always leads to one `ended` or `stream`
   of the owner's callbacks, perhaps before it returns. The behaviour table and the runtime map decide what happens if the runtime
   lacks the RPC or cannot be asked.
 */
void upstream_start(struct upstream_call *upstream, const struct upstream_owner *owner, size_t position);

/* Sends the request, which is converted already, to the runtime, and does not look for a stream. Leads to one `ended`. */
void upstream_ask(struct upstream_call *upstream);

/* The runtime could not be asked or did not answer, for the reason in upstream->error. Then the response may be what was last
   seen of it (`stale`), or the answer may omit the runtime (`omitted`); otherwise the failure remains. Leads to one `ended`,
   perhaps before it returns. */
void upstream_stand_in(struct upstream_call *upstream);

/* After the reply: learns what upstream calls left for this time, and calls the hooks after the call, so that the caller waits
   for neither. */
void upstream_after_reply(struct upstream_call *upstream);
