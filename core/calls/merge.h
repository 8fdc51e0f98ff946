/* Several runtimes' answers become the one that the caller gets. */
#pragma once

#include "core/calls/call.h"

/* Replies to a call all of whose upstream calls have ended. */
void answer_call(struct call *call);
