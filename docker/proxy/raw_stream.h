/* Requests that Docker may answer with a stream in both directions on the connection itself. */
#pragma once

#include "base/bytes/bytes.h"

/* Whether Docker may answer the request with 200, no length and then bytes of a container in both directions, though the caller
   has not asked for another protocol (Upgrade): POST .../containers/X/attach, .../exec/X/start, .../session and .../grpc of
   Docker's API since 1.0, where clients older than 1.20 do not send Upgrade. Other answers without a length end the connection,
   and nothing more of the caller is passed on. */
bool raw_stream_may_answer(struct bytes method, struct bytes target);
