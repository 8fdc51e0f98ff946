#include "forward.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <string.h>

#include "base/log/log.h"
#include "core/calls/log.h"
#include "core/calls/reply.h"
#include "core/runtimes/failure.h"
#include "core/transport/c_core.h"
#include "core/transport/exchange.h"

/* Where the messages of the answer are. They go one by one: the next is taken from the runtime when the last one is sent, so that
   a slow caller slows the runtime down. */
enum forward_state {
    FORWARD_OPENING,   /* the metadata that comes before the first message has not come */
    FORWARD_RECEIVING, /* the next message has not come */
    FORWARD_SENDING,   /* a message has not been taken by the caller */
    FORWARD_OVER,      /* there are no more, or nobody wants them */
    FORWARD_ENDING,    /* the caller's side is being ended */
};

/* One forwarded call, which it holds. */
struct forward {
    struct call *call;
    struct exchange exchange; /* with the runtime */
    enum forward_state state;
    unsigned pending; /* batches under way. None: nothing can happen any more, and the end begins */
    bool initial_sent;
    struct error error; /* the gateway's own failure, in place of the runtime's status */
    struct completion opened;
    struct completion message_received;
    struct completion message_sent;
    struct completion status_received;
    struct completion ended;
};

/* Nothing more can reach the caller, or come from the runtime. */
static void give_up(struct forward *forward)
{
    grpc_call_cancel(forward->exchange.call, NULL);
    forward->state = FORWARD_OVER;
}

/* false: it was not started, and its completion does not run. */
static bool start_upstream(struct forward *forward, const grpc_op *ops, size_t count, struct completion *completion)
{
    if (grpc_call_start_batch(forward->exchange.call, ops, count, completion, NULL) != GRPC_CALL_OK) {
        give_up(forward);
        return false;
    }
    forward->pending++;
    return true;
}

static grpc_op send_initial(struct forward *forward)
{
    forward->initial_sent = true;
    return (grpc_op){
        .op = GRPC_OP_SEND_INITIAL_METADATA,
        .data.send_initial_metadata = {.count = transport_sendable(&forward->exchange.initial),
                                       .metadata = forward->exchange.initial.metadata},
    };
}

/* ---- the end ---- */

/* The call may be freed when it returns. */
static void release(struct forward *forward)
{
    exchange_release(&forward->exchange);
    call_drop(forward->call);
}

static void on_ended(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, ended);
    struct call *call = forward->call;
    release(forward);
    call_drop(call);
}

static void replace_status(struct exchange *exchange, const struct error *error)
{
    char text[ERROR_MESSAGE_SIZE + 16];
    snprintf(text, sizeof text, "crigate: %s", error->message);
    grpc_slice_unref(exchange->details);
    exchange->details = grpc_slice_from_copied_string(text);
    exchange->status = (grpc_status_code)error->code;
    exchange->trailing.count = 0; /* it may repeat the other code */
}

static void end(struct forward *forward)
{
    struct exchange *exchange = &forward->exchange;
    forward->state = FORWARD_ENDING;
    runtime_has_changed(generation_primary(forward->call->request.generation)); /* nobody knows what it did */
    if (forward->error.code != STATUS_OK) {
        replace_status(exchange, &forward->error);
    }
    call_log_reply(forward->call, (enum status_code)exchange->status, transport_slice_bytes(&exchange->details), NULL);
    grpc_op ops[2];
    size_t count = 0;
    if (!forward->initial_sent) {
        ops[count++] = send_initial(forward);
    }
    ops[count++] = (grpc_op){
        .op = GRPC_OP_SEND_STATUS_FROM_SERVER,
        .data.send_status_from_server = {.trailing_metadata_count = transport_sendable(&exchange->trailing),
                                         .trailing_metadata = exchange->trailing.metadata,
                                         .status = exchange->status,
                                         .status_details = &exchange->details},
    };
    if (!call_start_batch(forward->call, ops, count, &forward->ended)) {
        log_line(LOG_SERIOUS, "the transport refused a reply; the call is cancelled");
        grpc_call_cancel(forward->call->server_call, NULL);
        release(forward);
    }
}

/* A batch has ended, and what follows from it was begun. */
static void end_batch(struct forward *forward)
{
    if (--forward->pending == 0) {
        end(forward);
    }
}

/* ---- the way of a message ---- */

static void receive_next(struct forward *forward)
{
    const grpc_op op = exchange_receive_message(&forward->exchange);
    forward->state = FORWARD_RECEIVING;
    start_upstream(forward, &op, 1, &forward->message_received);
}

static void send_message(struct forward *forward)
{
    grpc_op ops[2];
    size_t count = 0;
    forward->state = FORWARD_SENDING;
    if (!forward->initial_sent) {
        ops[count++] = send_initial(forward);
    }
    ops[count++] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = forward->exchange.message};
    if (call_start_batch(forward->call, ops, count, &forward->message_sent)) {
        forward->pending++;
    } else {
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
    end_batch(forward);
    call_drop(call);
}

static void on_message_received(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, message_received);
    if (!forward->exchange.message) {
        forward->state = FORWARD_OVER;
    } else if (transport_is_compressed(forward->exchange.call)) {
        runtime_refuse_compression(generation_primary(forward->call->request.generation), &forward->error);
        give_up(forward);
    } else {
        send_message(forward);
    }
    end_batch(forward);
}

/* ---- the beginning ---- */

static void on_opened(struct completion *completion, bool ok)
{
    (void)ok;
    struct forward *forward = completion_owner(completion, struct forward, opened);
    if (forward->state == FORWARD_OPENING) {
        receive_next(forward);
    }
    end_batch(forward);
}

static void on_status(struct completion *completion, bool ok)
{
    (void)ok;
    end_batch(completion_owner(completion, struct forward, status_received));
}

static bool is_image_service(struct bytes path)
{
    static const char name[] = ".ImageService/";
    return memmem(path.data, path.len, name, sizeof name - 1) != NULL;
}

/* The primary, or its image service. */
static struct runtime *serving(const struct call *call)
{
    bool images = is_image_service(transport_slice_bytes(&call->details.method));
    return runtime_serving(generation_primary(call->request.generation), images ? SERVICE_IMAGE : SERVICE_RUNTIME);
}

/* Whether that part of the primary is there and speaks the caller's package. */
static bool can_take(const struct runtime *peer, const struct call *call, struct error *error)
{
    if (!runtime_takes_calls(peer, error)) {
        return false;
    }
    if (runtime_answer_dialect(peer) == call->request.caller) {
        return true;
    }
    struct bytes path = transport_slice_bytes(&call->details.method);
    return error_set(error, STATUS_UNIMPLEMENTED, "crigate does not know %.*s, and runtime %s speaks another package",
                     BYTES_SHOWN(path, 200), peer->entry->name);
}

/* Sends the request, and asks for the status and for the metadata that comes before the first message. */
static void open_upstream(struct forward *forward)
{
    struct call *call = forward->call;
    struct runtime *peer = serving(call);
    struct channel *channel = &peer->connection.channel;
    channel_call(channel, &forward->exchange, call->server_call, call->details.method, call->request.deadline);
    const grpc_op status = exchange_receive_status(&forward->exchange);
    const grpc_op open = exchange_receive_initial(&forward->exchange);
    forward->pending = 1; /* until all are started */
    bool sent = channel_send(channel, forward->exchange.call, call->request.metadata.metadata, call->request.forwardable,
                             call->request.received);
    bool asked =
        start_upstream(forward, &status, 1, &forward->status_received) && start_upstream(forward, &open, 1, &forward->opened);
    if (!sent || !asked) {
        error_set(&forward->error, STATUS_INTERNAL, "the transport refused the call to runtime %s", peer->entry->name);
        forward->state = FORWARD_OVER;
    }
    end_batch(forward);
}

void forward_start(struct call *call)
{
    struct error error = {0};
    struct forward *forward = NULL;
    if (!can_take(serving(call), call, &error)) {
        call_fail(call, &error);
        return;
    }
    forward = arena_zalloc(call->request.arena, sizeof *forward);
    if (!forward) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "not enough memory for this call");
        return;
    }
    *forward = (struct forward){
        .call = call,
        .opened.run = on_opened,
        .message_received.run = on_message_received,
        .message_sent.run = on_message_sent,
        .status_received.run = on_status,
        .ended.run = on_ended,
    };
    call->state = CALL_ASKING;
    call_hold(call);
    open_upstream(forward);
}
