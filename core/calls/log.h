/* Logs calls. */
#pragma once

#include "core/calls/call.h"

/* Logs a call that is about to be replied to: failed ones at level 2, others at the level of their row in the behaviour table,
   from level 3 on with request and response as text in which secrets are hidden. `message` is the reply, or NULL. */
void call_log_reply(const struct call *call, enum status_code code, struct bytes details, grpc_byte_buffer *message);
