/* What C core fills in for a call to a server. */
#pragma once

#include <grpc/grpc.h>

#include "core/transport/upstream_connection.h"

/* Zero-initialised: no call yet. Must stay where it is until everything requested has arrived. */
struct exchange {
    grpc_call *call;                        /* NULL: there was none */
    struct upstream_connection *connection; /* that it was begun on; NULL: none, or none that is known */
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *message; /* NULL: none arrived */
    grpc_status_code status;
    grpc_slice details; /* the status's message */
};

/* Begins with a call, whose reference it takes over. */
void exchange_begin(struct exchange *exchange, grpc_call *call);

/* The operations that receive the parts. */
grpc_op exchange_receive_initial(struct exchange *exchange);
grpc_op exchange_receive_message(struct exchange *exchange);
grpc_op exchange_receive_status(struct exchange *exchange);

/* Gives `to`, which has no call, all that came for `from`: the same bytes, which are freed when both are released. */
void exchange_share(const struct exchange *from, struct exchange *to);

/* Frees what arrived, and gives the call back. Nothing without a call. */
void exchange_release(struct exchange *exchange);
