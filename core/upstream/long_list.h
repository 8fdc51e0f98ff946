/* A list that is too long for one message, taken from the runtime's stream, if it has one.

   Either the runtime itself refuses to send such a message (grpc-go's limit is 16 MiB with containerd), or the gateway refuses to
   take it (limits.message_size). The messages of the stream are each small enough, and in sequence they are the list. */
#pragma once

#include "core/upstream/call.h"

/* An upstream call has failed. If the reason was the length of its list, opens the stream. `done` runs once, when the stream has
   ended; then the whole list is the upstream call's message, or the failure is as it was. false: the failure remains. */
bool long_list_start(struct upstream_call *upstream, void (*done)(struct upstream_call *upstream));
