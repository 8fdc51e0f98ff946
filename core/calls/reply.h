/* The end of a call: its reply, or the reason why there is none. */
#pragma once

#include <grpc/grpc.h>

#include "base/bytes/error.h"
#include "core/calls/call.h"

/* What a reply consists of. Everything stays the caller's and must live as long as the call. */
struct reply {
    grpc_byte_buffer *message; /* NULL: none */
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_status_code code;
    grpc_slice details;
};

/* Sends the reply; the call ends with it. */
void call_reply(struct call *call, const struct reply *reply);

/* Logs and replies with a failure of the gateway's own; the message gets "crigate: " in front. */
void call_fail(struct call *call, const struct error *error);

/* The same, with that code and text. */
void call_refuse(struct call *call, enum status_code code, const char *text);
