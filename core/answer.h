/* Several runtimes' answers become the one that the caller gets. */
#ifndef CRIGATE_CORE_ANSWER_H
#define CRIGATE_CORE_ANSWER_H

#include "core/call.h"

/* Replies to a call all of whose branches have ended. */
void answer_call(struct call *call);

#endif
