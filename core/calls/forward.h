/* Calls of methods that crigate does not know go to the primary unchanged, so that a newer kubelet can use them. */
#pragma once

#include "core/calls/call.h"

/* Sends the call's request message to the primary, and all messages of the answer back to the caller. UNIMPLEMENTED when the
 * primary speaks a different package than the caller. */
void forward_start(struct call *call);
