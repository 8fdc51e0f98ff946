#include "forward.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <string.h>

#include "core/base/log.h"
#include "core/calls/log.h"
#include "core/calls/reply.h"
#include "core/transport/c_core.h"
#include "core/transport/exchange.h"

/* One forwarded call. Messages of the answer go one by one: the next is taken from the runtime when the last one is sent, so that
   a slow caller slows the runtime down. */
struct forward {
    struct call *call;
    struct exchange exchange; /* with the runtime */
    bool initial_sent;
    bool messages_ended;
    bool status_known;
    struct completion opened;
    struct completion message_received;
    struct completion message_sent;
    struct completion status_received;
    struct completion finished;
};

static bool start_upstream(struct forward *forward, const grpc_op *ops, size_t count, struct completion *completion)
{
    if (grpc_call_start_batch(forward->exchange.call, ops, count, completion, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(forward->exchange.call, NULL);
        return false;
    }
    call_hold(forward->call);
    return true;
}

/* Nothing more can reach the caller, or come from the runtime. */
static void give_up(struct forward *forward)
{
    grpc_call_cancel(forward->exchange.call, NULL);
    forward->messages_ended = true;
}

static void on_finished(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, finished);
    struct call *call = forward->call;
    exchange_release(&forward->exchange);
    call_drop(call);
}

static grpc_op send_initial(struct forward *forward)
{
    forward->initial_sent = true;
    return (grpc_op){
        .op = GRPC_OP_SEND_INITIAL_METADATA,
        .data.send_initial_metadata = {.count = forward->exchange.initial.count, .metadata = forward->exchange.initial.metadata},
    };
}

/* Ends the caller's side once the runtime's side has ended. */
static void finish_if_ended(struct forward *forward)
{
    if (!forward->messages_ended || !forward->status_known) {
        return;
    }
    call_log_reply(forward->call, (enum status_code)forward->exchange.status, transport_slice_bytes(&forward->exchange.details),
                   NULL);
    grpc_op ops[2];
    size_t count = 0;
    if (!forward->initial_sent) {
        ops[count++] = send_initial(forward);
    }
    ops[count++] = (grpc_op){
        .op = GRPC_OP_SEND_STATUS_FROM_SERVER,
        .data.send_status_from_server = {.trailing_metadata_count = forward->exchange.trailing.count,
                                         .trailing_metadata = forward->exchange.trailing.metadata,
                                         .status = forward->exchange.status,
                                         .status_details = &forward->exchange.details},
    };
    if (!call_start_batch(forward->call, ops, count, &forward->finished)) {
        grpc_call_cancel(forward->call->server_call, NULL);
        exchange_release(&forward->exchange);
    }
}

static void receive_next(struct forward *forward)
{
    const grpc_op op = exchange_receive_message(&forward->exchange);
    if (!start_upstream(forward, &op, 1, &forward->message_received)) {
        give_up(forward);
    }
}

static void on_message_sent(struct completion *completion, bool ok)
{
    struct forward *forward = completion_owner(completion, struct forward, message_sent);
    struct call *call = forward->call;
    grpc_byte_buffer_destroy(forward->exchange.message);
    forward->exchange.message = NULL;
    if (ok) {
        receive_next(forward);
    } else {
        give_up(forward);
    }
    finish_if_ended(forward);
    call_drop(call);
}

static void on_message_received(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, message_received);
    struct call *call = forward->call;
    if (!forward->exchange.message) {
        forward->messages_ended = true;
    } else {
        grpc_op ops[2];
        size_t count = 0;
        if (!forward->initial_sent) {
            ops[count++] = send_initial(forward);
        }
        ops[count++] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = forward->exchange.message};
        if (!call_start_batch(call, ops, count, &forward->message_sent)) {
            give_up(forward);
        }
    }
    finish_if_ended(forward);
    call_drop(call);
}

static void on_opened(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, opened);
    struct call *call = forward->call;
    receive_next(forward);
    finish_if_ended(forward);
    call_drop(call);
}

static void on_status(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, status_received);
    struct call *call = forward->call;
    forward->status_known = true;
    generation_primary(call->request.generation)->shared.changes++; /* nobody knows what it did */
    finish_if_ended(forward);
    call_drop(call);
}

/* Whether the primary is there and speaks the caller's package. */
static bool primary_can_take(struct call *call, struct error *error)
{
    const struct runtime *primary = generation_primary(call->request.generation);
    if (!runtime_takes_calls(primary, error)) {
        return false;
    }
    if (runtime_answer_dialect(primary) == call->request.caller) {
        return true;
    }
    struct bytes path = transport_slice_bytes(&call->details.method);
    return error_set(error, STATUS_UNIMPLEMENTED, "crigate does not know %.*s, and runtime %s speaks another package",
                     BYTES_SHOWN(path, 200), primary->entry->name);
}

static bool is_image_service(struct bytes path)
{
    static const char name[] = ".ImageService/";
    return memmem(path.data, path.len, name, sizeof name - 1) != NULL;
}

/* Sends the request, and asks for the status and for the metadata that comes before the first message. */
static void open_upstream(struct forward *forward)
{
    struct call *call = forward->call;
    struct bytes path = transport_slice_bytes(&call->details.method);
    struct channel *channel =
        runtime_channel(generation_primary(call->request.generation), is_image_service(path) ? SERVICE_IMAGE : SERVICE_RUNTIME);
    channel_call(channel, &forward->exchange, call->server_call, call->details.method, call->request.deadline);
    const grpc_op status = exchange_receive_status(&forward->exchange);
    const grpc_op open = exchange_receive_initial(&forward->exchange);
    bool sent = channel_send(channel, forward->exchange.call, call->request.metadata.metadata, call->request.forwardable,
                             call->request.received);
    bool asked =
        start_upstream(forward, &status, 1, &forward->status_received) && start_upstream(forward, &open, 1, &forward->opened);
    if (!sent || !asked) {
        give_up(forward);
    }
}

void forward_start(struct call *call)
{
    struct error error = {0};
    struct forward *forward = NULL;
    if (!primary_can_take(call, &error)) {
        call_fail(call, &error);
        return;
    }
    forward = arena_zalloc(call->request.arena, sizeof *forward);
    if (!forward) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "no memory left for this call");
        return;
    }
    *forward = (struct forward){
        .call = call,
        .opened.run = on_opened,
        .message_received.run = on_message_received,
        .message_sent.run = on_message_sent,
        .status_received.run = on_status,
        .finished.run = on_finished,
    };
    call->state = CALL_ASKING;
    open_upstream(forward);
}
