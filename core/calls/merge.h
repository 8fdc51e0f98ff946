/* Several runtimes' answers become the one that the caller gets. */
#ifndef CRIGATE_CALLS_MERGE_H
#define CRIGATE_CALLS_MERGE_H

#include "core/calls/call.h"

/* Replies to a call all of whose upstream calls have ended. */
void answer_call(struct call *call);

#endif
