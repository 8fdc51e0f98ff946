/* Calls that crigate does not know, passed to the primary untouched: the gateway must not stop a newer kubelet. */
#ifndef CRIGATE_CALLS_FORWARD_H
#define CRIGATE_CALLS_FORWARD_H

#include "core/calls/call.h"

/* Passes the call's one request message to the primary, and every message of the answer back, whether it is one or a stream.
   UNIMPLEMENTED when the primary speaks another package than the caller. */
void forward_start(struct call *call);

#endif
