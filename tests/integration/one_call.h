/* Unary calls of programs that make many of them at once. */
#pragma once

#include <grpc/grpc.h>

#include "base/bytes/arena.h"

/* Where calls go, and with what. */
struct call_target {
    grpc_channel *channel;
    grpc_completion_queue *queue;
    const char *path;
    struct bytes request;
};

struct one_call {
    grpc_call *call;
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *answer; /* NULL: there is none */
    grpc_status_code code;
    grpc_slice details;
};

/* Sets path and request from the name of an RPC of CRI v1 and JSON; the request is in the arena. false: there is no such RPC, or
   the JSON is not a request of it. */
bool call_target_read(struct call_target *target, const char *name, const char *json, struct arena *arena);

/* Begins to connect, and ends all. */
void call_target_open(struct call_target *target, const char *endpoint);
void call_target_close(struct call_target *target);

/* Begins a call that waits for a connection. The queue returns `call` when it has ended. `metadata` may be NULL. */
void one_call_start(struct one_call *call, const struct call_target *target, gpr_timespec deadline, grpc_metadata *metadata);

/* Frees what belongs to a call that has ended. */
void one_call_release(struct one_call *call);
