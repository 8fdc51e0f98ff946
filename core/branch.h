/* A call's way to one runtime and back: request converted, called, response converted. */
#ifndef CRIGATE_CORE_BRANCH_H
#define CRIGATE_CORE_BRANCH_H

#include <grpc/grpc.h>

#include "core/event.h"
#include "core/runtime.h"
#include "translate/convert.h"

struct call;

struct branch {
    struct call *call;
    struct runtime *runtime;
    struct event ended;
    grpc_call *upstream; /* NULL when it never was called */
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *message;
    grpc_status_code status; /* of the runtime; OK also when the gateway itself failed */
    grpc_slice details;

    struct error error;    /* the gateway's own failure, if any */
    struct bytes response; /* in the caller's dialect, when all went well */
    bool as_received;      /* the response is the very bytes of `message` */
    bool omitted;          /* it has no part in the answer: the runtime lacks the RPC, and the others answer */
    struct report report;
};

/* Converts the request and calls the runtime. Always leads to one call_branch_ended, perhaps before it returns. `optional`: a
   runtime that lacks the RPC is left out instead of failing. `budget`: milliseconds after which it is given up, 0 for the caller's
   own deadline. */
void branch_start(struct branch *branch, struct call *call, struct runtime *runtime, bool optional, int64_t budget);

/* Whether the runtime answered OK and its answer could be read. */
bool branch_succeeded(const struct branch *branch);

/* Frees what the branch holds. */
void branch_release(struct branch *branch);

#endif
