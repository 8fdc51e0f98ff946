/* A connection to a runtime, and calls over it. It reconnects by itself for ever.

   A call's request leaves in a batch of its own, which nobody waits for. C core ends what it has to send only when the socket has
   taken it, even after the call was cancelled, and a runtime that does not read takes nothing. What is received ends by deadline
   and cancellation in any case: so that is all that a call, its budget and its memory depend on. What has not left yet is counted
   here, and refers to nothing but slices. */
#pragma once

#include <grpc/grpc.h>

#include "core/base/worker.h"

/* Zero-initialised. Only channel.c writes it. */
struct channel {
    grpc_channel *grpc;
    struct worker *worker;
    unsigned unsent; /* requests that the socket has not taken yet */
    uint64_t taken;  /* requests that it has taken, from the beginning */
    struct completion sent;
    void (*drained)(struct channel *channel); /* once, after channel_close */
};

/* Makes the channel to "unix:///path", for messages of up to `message_size` bytes. `drained` is called once after channel_close,
   on the worker's thread, when nothing points to the struct any more; until then it must live. */
void channel_open(struct channel *channel, const char *endpoint, size_t message_size, struct worker *worker,
                  void (*drained)(struct channel *channel));

/* A call to the method of that path, which the caller unrefs. `parent`: a server's call that passes its cancellation on, or
   NULL. */
grpc_call *channel_call(struct channel *channel, grpc_call *parent, grpc_slice path, gpr_timespec deadline);

/* Sends the request of such a call: the metadata, the message and the end of the request. The arguments may be freed when it
   returns. false: the transport refused, and the call is cancelled. */
bool channel_send(struct channel *channel, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                  grpc_byte_buffer *message);

/* Ends the connection; calls in flight fail. A runtime that does not read is hung up on, because C core would wait for it.
   `endpoint` is that of channel_open. Leads to `drained`, perhaps before it returns. */
void channel_close(struct channel *channel, const char *endpoint);
