/* Finds out which runtime holds a plain id that nobody has seen before: asks all that could, once, in parallel. */
#ifndef CRIGATE_CALLS_FIND_OWNER_H
#define CRIGATE_CALLS_FIND_OWNER_H

#include "core/calls/call.h"
#include "translate/bytes/error.h"

/* A search has ended: with an error, or with what the index now knows. */
typedef void find_owner_done(struct call *call, bool found, const struct error *error);

/* Asks the targets of the call's route; leads to one `done`, perhaps before it returns. UNAVAILABLE when a runtime that
   could hold the id cannot be asked: what is not known is not absent. FAILED_PRECONDITION when two of them claim it.

   People say the beginning of an id, which runtimes take. It is as good as the id when one id alone begins so, on any of them;
   otherwise INVALID_ARGUMENT (containerd answers UNKNOWN then, CRI-O NOT_FOUND). */
void find_owner_start(struct call *call, find_owner_done *done);

#endif
