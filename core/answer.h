/* Several runtimes' answers become the one that the caller gets. */
#ifndef CRIGATE_CORE_ANSWER_H
#define CRIGATE_CORE_ANSWER_H

#include "core/call.h"

/* Replies to a call all of whose branches have ended. */
void answer_call(struct call *call);

/* A branch of several has ended: that its runtime does not answer itself is told once in the log, until it does again. */
void answer_note_missing(const struct branch *branch);

#endif
