/* What a simulated server needs of gRPC's C core, whatever it serves. */
#pragma once

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* A server, not started, that takes large messages and headers. The caller owns it (grpc_server_destroy). */
grpc_server *sim_server_new(void);

/* Binds the server to the socket at `path`, and replaces a stale one. false: ALREADY_EXISTS if another program listens there,
   INVALID_ARGUMENT for a path that is too long, UNAVAILABLE if it cannot be bound. */
bool sim_server_bind(grpc_server *server, const char *path, struct error *error);

/* Destroys a completion queue after it has been drained: nothing may be pending on it. */
void sim_queue_destroy(grpc_completion_queue *queue);

/* That many milliseconds from now, of the monotonic clock. */
gpr_timespec sim_from_now(int64_t milliseconds);

/* Milliseconds until a deadline, 0 if it has passed, -1 if there is none. */
int64_t sim_milliseconds_until(gpr_timespec deadline);

/* The bytes of a message; the caller unrefs them. Empty for NULL. */
grpc_slice sim_slice_of_buffer(grpc_byte_buffer *buffer);

/* The bytes of the slice, borrowed. */
static inline struct bytes sim_bytes_of_slice(const grpc_slice *slice)
{
    return bytes_of(GRPC_SLICE_START_PTR(*slice), GRPC_SLICE_LENGTH(*slice));
}
