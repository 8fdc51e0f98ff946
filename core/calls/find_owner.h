/* Finds out which runtime holds an unknown plain id: asks all that could hold it, once, in parallel. */
#pragma once

#include "base/bytes/error.h"
#include "core/calls/call.h"

/* A search has ended. `error` has code OK unless it failed; then `found` is whether a runtime holds the id, and the index
   contains it. */
typedef void find_owner_done(struct call *call, bool found, const struct error *error);

/* Asks the targets of the call's route; calls `done` once, perhaps before it returns. UNAVAILABLE: a runtime that could hold the
   id cannot be asked, so the id may exist. FAILED_PRECONDITION: two runtimes claim it.

   People type the beginning of an id, which runtimes accept. It is used as the id if exactly one id on all runtimes begins with
   it; otherwise INVALID_ARGUMENT (containerd answers UNKNOWN then, CRI-O NOT_FOUND). */
void find_owner_start(struct call *call, find_owner_done *done);

/* The caller is gone: if a search is under way for it, no runtime is working on it any more. Leads to `done`, with CANCELLED. */
void find_owner_cancel(struct call *call);
