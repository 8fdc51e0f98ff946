/* Logs and counts calls, and writes those that may change something to the audit file. */
#pragma once

#include "core/calls/call.h"

/* Logs that a call has arrived, if it is logged at the level of its row: with its number, which the line at its end has, too, and
   the request. When the request is there, and again when the runtimes are known: a line that was written is not repeated, and the
   level may be that of a runtime's calls. Notes the caller for the audit file. */
void call_log_begin(struct call *call);

/* Counts a call that is about to be replied to, once, and logs it: failed ones at level 2, others at the level of their row in
   the behaviour table, from level 3 on with the response, and the request if no line at its beginning has it, as text in which
   secrets are hidden. `message` is the reply, or NULL. */
void call_log_reply(struct call *call, enum status_code code, struct bytes details, grpc_byte_buffer *message);

/* The same, as CANCELLED, for a call that ends without a reply, because nobody waits for one. */
void call_log_unanswered(struct call *call);
