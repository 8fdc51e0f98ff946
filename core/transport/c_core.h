/* What all channels and servers of the program share: channel arguments and small helpers around C core's types. */
#pragma once

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

/* A channel over a connected descriptor, which it takes over: it ends with the connection. Messages of up to `message_size`
   bytes. The caller destroys it. C core aborts if the connectivity state of such a channel is asked for. */
grpc_channel *transport_channel_over(int fd, size_t message_size);

/* A channel to "unix:///path", for a program that makes a few calls. Otherwise the same. */
grpc_channel *transport_channel(const char *endpoint, size_t message_size);

/* What callers' connections may take. */
struct transport_bounds {
    size_t message_size; /* bytes */
    unsigned streams;    /* calls at once on one connection; more wait in the client */
};

/* A server without listeners: connections are added as file descriptors. The caller destroys it. */
grpc_server *transport_server(grpc_completion_queue *queue, const struct transport_bounds *bounds);

/* The message in one piece: borrowed from the buffer where it is one, else copied to the arena. false: the arena's cap. A NULL
   buffer is an empty message. */
bool transport_bytes(grpc_byte_buffer *buffer, struct arena *arena, struct bytes *bytes);

/* Whether the last message that the call received has the mark of a compressed one, in whatever encoding. Nothing is
   decompressed, see c_core.c. */
bool transport_is_compressed(grpc_call *call);

/* A slice over bytes of the arena, which it keeps alive; short ones are copied instead. */
grpc_slice transport_slice(struct bytes bytes, struct arena *arena);

/* A slice borrowed as bytes. */
static inline struct bytes transport_slice_bytes(const grpc_slice *slice)
{
    return bytes_of(GRPC_SLICE_START_PTR(*slice), GRPC_SLICE_LENGTH(*slice));
}

/* What the metadata of a call takes, as HTTP/2 counts it (RFC 9113, section 6.5.2). C core 1.51 holds each frame of a block of
   headers against its limit, not their sum: a header that repeats one before it takes a single byte. */
size_t transport_metadata_size(const grpc_metadata_array *metadata);

/* The caller's metadata that is passed on to a runtime: all but what the transport sets by itself. Moves the entries to the front
 * of the array and returns their number. */
size_t transport_forwardable(grpc_metadata_array *metadata);

/* Whether C core would send that metadata on to a runtime. false: INVALID_ARGUMENT, as it is the caller's mistake. */
bool transport_check_metadata(const grpc_metadata *metadata, size_t count, struct error *error);

/* The metadata of an answer that C core would send on to the caller: moves these entries to the front and returns their number.
   With any other, no answer would reach the caller. */
size_t transport_sendable(const grpc_metadata_array *metadata);

/* grpc_init for a program that serves, called before it has other threads. C core's messages go to the log (those of a newer C
   core nowhere), and it reads connections on the thread that waits for its queue. grpc_shutdown undoes it. */
void transport_init(void);
