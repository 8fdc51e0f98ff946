#include "exchange.h"

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <string.h>

void exchange_begin(struct exchange *exchange, grpc_call *call)
{
    *exchange = (struct exchange){.call = call, .details = grpc_empty_slice()};
    grpc_metadata_array_init(&exchange->initial);
    grpc_metadata_array_init(&exchange->trailing);
}

grpc_op exchange_receive_initial(struct exchange *exchange)
{
    return (grpc_op){.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &exchange->initial};
}

grpc_op exchange_receive_message(struct exchange *exchange)
{
    return (grpc_op){.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &exchange->message};
}

grpc_op exchange_receive_status(struct exchange *exchange)
{
    return (grpc_op){.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
                     .data.recv_status_on_client = {.trailing_metadata = &exchange->trailing,
                                                    .status = &exchange->status,
                                                    .status_details = &exchange->details}};
}

/* The strings in it are the call's. */
static void share_metadata(const grpc_metadata_array *from, grpc_metadata_array *to)
{
    if (from->count > 0) {
        to->metadata = gpr_malloc(from->count * sizeof *to->metadata);
        memcpy(to->metadata, from->metadata, from->count * sizeof *to->metadata);
        to->count = to->capacity = from->count;
    }
}

void exchange_share(const struct exchange *from, struct exchange *to)
{
    grpc_call_ref(from->call);
    exchange_begin(to, from->call);
    share_metadata(&from->initial, &to->initial);
    share_metadata(&from->trailing, &to->trailing);
    to->message = from->message ? grpc_byte_buffer_copy(from->message) : NULL;
    to->status = from->status;
    to->details = grpc_slice_ref(from->details);
}

void exchange_release(struct exchange *exchange)
{
    if (exchange->call) {
        grpc_call_unref(exchange->call);
        grpc_metadata_array_destroy(&exchange->initial);
        grpc_metadata_array_destroy(&exchange->trailing);
        grpc_byte_buffer_destroy(exchange->message);
        grpc_slice_unref(exchange->details);
    }
    if (exchange->connection) {
        upstream_connection_end_call(exchange->connection);
    }
}
