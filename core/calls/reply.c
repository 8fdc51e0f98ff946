#include "reply.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>

#include "base/log/log.h"
#include "core/calls/log.h"
#include "core/calls/memory_limit.h"
#include "core/transport/c_core.h"

static void on_replied(struct completion *completion, bool ok)
{
    (void)ok;
    call_drop(completion_owner(completion, struct call, replied));
}

void call_reply(struct call *call, const struct reply *reply)
{
    grpc_slice details = reply->details;
    grpc_op ops[3] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .data.send_initial_metadata = {.count = transport_sendable(&reply->initial), .metadata = reply->initial.metadata}},
        {.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
         .data.send_status_from_server = {.trailing_metadata_count = transport_sendable(&reply->trailing),
                                          .trailing_metadata = reply->trailing.metadata,
                                          .status = reply->code,
                                          .status_details = &details}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = reply->message},
    };
    memory_limit_replying(call, reply->message ? grpc_byte_buffer_length(reply->message) : 1);
    call->state = CALL_REPLYING;
    call->replied.run = on_replied;
    if (!call_start_batch(call, ops, reply->message ? 3 : 2, &call->replied)) {
        log_line(LOG_SERIOUS, "the transport refused a reply; the call is cancelled");
        grpc_call_cancel(call->server_call, NULL);
    }
}

void call_fail(struct call *call, const struct error *error)
{
    char text[ERROR_MESSAGE_SIZE + 16];
    snprintf(text, sizeof text, "crigate: %s", error->message);
    grpc_slice details = grpc_slice_from_copied_string(text);
    struct reply reply = {.code = (grpc_status_code)error->code, .details = details};
    call_log_reply(call, error->code, bytes_of_string(text), NULL);
    call_reply(call, &reply);
    grpc_slice_unref(details);
}

void call_refuse(struct call *call, enum status_code code, const char *text)
{
    struct error error;
    error_set(&error, code, "%s", text);
    call_fail(call, &error);
}
