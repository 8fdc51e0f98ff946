/* What the parts that serve a call may know of it: who asks for what, under which map, and for how long. */
#pragma once

#include <grpc/grpc.h>

#include "base/bytes/arena.h"
#include "core/runtimes/generation.h"
#include "translate/schema/method.h"
#include "translate/walk/node.h"

/* Belongs to its call, which alone changes it, except for `generation` of a listener to events, which a reload moves on;
 * everything in it lasts as long as the call. */
struct request {
    struct generation *generation;   /* that the call runs under, referenced */
    const struct map_socket *socket; /* that the caller has connected to, as that map has it */
    const struct method *method;     /* NULL for an RPC that crigate does not know; for a streamed list the row of the list */
    const struct method *stream;     /* what the caller asked for when that is a streamed list, which it gets as one; else NULL */
    enum dialect caller;             /* what the caller speaks */
    struct bytes bytes;              /* the message, in the caller's dialect, once it is there */
    grpc_byte_buffer *received;      /* the same as the transport brought it; NULL before */
    gpr_timespec deadline;           /* the caller's */
    grpc_metadata_array metadata;
    size_t forwardable;      /* entries at the front of metadata that go on to runtimes */
    int cancelled;           /* the caller is gone; set by the transport */
    struct bytes beginning;  /* the request's id, when a search has shown that it is the beginning of one alone; else empty */
    bool several;            /* more than one runtime is asked */
    struct arena *arena;     /* for what lasts as long as the call */
    const struct node *node; /* what translation asks of this node's filesystems */
};

/* What a caller's gRPC reveals about the kubelet's release. */
enum caller_age {
    CALLER_AGE_UNKNOWN,
    CALLER_AGE_UP_TO_1_12, /* grpc-go before 1.13 */
    CALLER_AGE_LATER,
};

/* From the caller's user agent. */
enum caller_age request_caller_age(const struct request *request);

/* What may be allocated for one call, in bytes, if its messages have up to `message_size` bytes. */
size_t call_memory(size_t message_size);
