#include "downstream_stream.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/calls/log.h"
#include "core/transport/c_core.h"

/* How long a stream that failed waits for its last message to leave before the caller hears of the failure all the same. */
#define FAILURE_PATIENCE_MS 1000

struct outflow_message {
    struct outflow_message *next;
    grpc_byte_buffer *buffer;
    size_t size;
};

static void send_next(struct outflow *outflow);

static void drop_first(struct outflow *outflow)
{
    struct outflow_message *message = outflow->first;
    outflow->first = message->next;
    outflow->messages--;
    outflow->bytes -= message->size;
    grpc_byte_buffer_destroy(message->buffer);
    free(message);
}

/* What has not been handed to the transport yet. */
static void drop_waiting(struct outflow *outflow)
{
    struct outflow_message *leaving = outflow->on_its_way ? outflow->first : NULL;
    if (leaving) {
        outflow->first = leaving->next;
    }
    while (outflow->first) {
        drop_first(outflow);
    }
    if (leaving) {
        leaving->next = NULL;
        outflow->first = outflow->last = leaving;
    }
}

/* Nothing more will happen to the caller's side. */
static void finish(struct outflow *outflow)
{
    struct call *call = outflow->call;
    drop_waiting(outflow);
    worker_disarm(&call->gateway->worker, &outflow->patience);
    grpc_slice_unref(outflow->details);
    call->outflow = NULL;
    call->gateway->streams--;
    call_drop(call);
}

static void finish_if_over(struct outflow *outflow)
{
    bool finished = outflow->call->outflow != outflow;
    if (!finished && outflow->ended && !outflow->sending && (outflow->gone || outflow->status_sent)) {
        finish(outflow);
    }
}

/* ---- a caller that takes nothing ---- */

static void watch_patience(struct outflow *outflow, unsigned milliseconds)
{
    if (milliseconds > 0 && !outflow->patience.armed) {
        outflow->sent_then = outflow->sent;
        worker_arm(&outflow->call->gateway->worker, &outflow->patience, milliseconds);
    }
}

/* The status takes the place of what the caller has not taken. */
static void cut_off(struct outflow *outflow)
{
    struct call *call = outflow->call;
    bool failed = outflow->ended && outflow->code != GRPC_STATUS_OK;
    char text[ERROR_MESSAGE_SIZE] = "crigate: the caller takes no messages";
    if (failed) {
        struct bytes details = transport_slice_bytes(&outflow->details);
        snprintf(text, sizeof text, "%.*s", (int)(details.len < sizeof text ? details.len : sizeof text),
                 (const char *)details.data);
    } else {
        call_log_reply(call, STATUS_RESOURCE_EXHAUSTED, bytes_of_string(text), NULL);
    }
    grpc_status_code code = failed ? outflow->code : GRPC_STATUS_RESOURCE_EXHAUSTED;
    grpc_call_cancel_with_status(call->server_call, code, text, NULL);
    outflow_caller_gone(outflow);
}

static void on_patience(struct event *event, bool ok)
{
    (void)ok;
    struct outflow *outflow = event_owner(event, struct outflow, patience);
    if (!outflow->sending || outflow->gone) {
        return;
    }
    if (outflow->sent == outflow->sent_then) {
        cut_off(outflow);
    } else {
        watch_patience(outflow, outflow->bounds.patience);
    }
}

/* ---- sending ---- */

static void tell_room(struct outflow *outflow)
{
    if (outflow->refused && !outflow->ended && outflow_has_room(outflow)) {
        outflow->refused = false;
        outflow->listener->room(outflow->state);
    }
}

static void on_sending_ended(struct event *event, bool ok)
{
    struct outflow *outflow = event_owner(event, struct outflow, sending_ended);
    struct call *call = outflow->call;
    outflow->sending = false;
    call->state = CALL_STREAMING;
    if (outflow->on_its_way) {
        outflow->on_its_way = false;
        outflow->sent += ok;
        drop_first(outflow);
    }
    if (ok) {
        send_next(outflow);
        tell_room(outflow);
    } else {
        outflow_caller_gone(outflow);
    }
    finish_if_over(outflow);
    call_drop(call);
}

static void start_batch(struct outflow *outflow, const grpc_op *ops, size_t count)
{
    struct call *call = outflow->call;
    outflow->sending = true;
    call->state = CALL_REPLYING;
    if (!call_start_batch(call, ops, count, &outflow->sending_ended)) {
        outflow->sending = outflow->on_its_way = false;
        call->state = CALL_STREAMING;
        grpc_call_cancel(call->server_call, NULL);
        outflow_caller_gone(outflow);
        return;
    }
    watch_patience(outflow, outflow->bounds.patience);
}

static void send_next(struct outflow *outflow)
{
    bool has_message = outflow->messages > 0;
    if (outflow->sending || outflow->gone || outflow->status_sent || (!has_message && !outflow->ended)) {
        return;
    }
    grpc_op ops[2];
    size_t count = 0;
    if (!outflow->started) {
        outflow->started = true;
        ops[count++] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
    }
    if (has_message) {
        outflow->on_its_way = true;
        ops[count++] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = outflow->first->buffer};
    } else {
        outflow->status_sent = true;
        ops[count++] = (grpc_op){
            .op = GRPC_OP_SEND_STATUS_FROM_SERVER,
            .data.send_status_from_server = {.trailing_metadata_count = outflow->trailing_count,
                                             .trailing_metadata = outflow->trailing,
                                             .status = outflow->code,
                                             .status_details = &outflow->details},
        };
    }
    start_batch(outflow, ops, count);
}

void outflow_open(struct outflow *outflow)
{
    if (!outflow->started && !outflow->sending && !outflow->gone) {
        outflow->started = true;
        start_batch(outflow, &(grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA}, 1);
    }
}

/* ---- the producer's side ---- */

bool outflow_start(struct outflow *outflow, struct call *call, const struct outflow_bounds *bounds,
                   const struct outflow_listener *listener, void *state, struct error *error)
{
    struct gateway *gateway = call->gateway;
    if (gateway->streams >= call->generation->map->limits.streams) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED,
                         "too many streaming calls at once; raise limits.streams in the runtime map");
    }
    if (listener->leaving && gateway->phase != GATEWAY_SERVING) {
        return error_set(error, STATUS_UNAVAILABLE, "the gateway stops; ask again");
    }
    *outflow = (struct outflow){
        .call = call,
        .listener = listener,
        .state = state,
        .bounds = *bounds,
        .sending_ended.run = on_sending_ended,
        .patience.event.run = on_patience,
        .details = grpc_empty_slice(),
    };
    gateway->streams++;
    call->outflow = outflow;
    call->state = CALL_STREAMING;
    call_hold(call);
    if (call->cancelled) {
        outflow_caller_gone(outflow);
    }
    return true;
}

bool outflow_has_room(struct outflow *outflow)
{
    bool room = outflow->gone || (outflow->messages < outflow->bounds.messages && outflow->bytes < outflow->bounds.bytes);
    outflow->refused = outflow->refused || !room;
    return room;
}

void outflow_put_buffer(struct outflow *outflow, grpc_byte_buffer *buffer)
{
    struct outflow_message *message = malloc(sizeof *message);
    if (!message || outflow->gone || outflow->ended) {
        grpc_byte_buffer_destroy(buffer);
        free(message);
        if (!message) {
            cut_off(outflow); /* a stream must not lack a message in its midst */
        }
        return;
    }
    *message = (struct outflow_message){.buffer = buffer, .size = grpc_byte_buffer_length(buffer)};
    if (outflow->messages++ == 0) {
        outflow->first = message;
    } else {
        outflow->last->next = message;
    }
    outflow->last = message;
    outflow->bytes += message->size;
    send_next(outflow);
}

void outflow_put(struct outflow *outflow, grpc_slice message)
{
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&message, 1);
    grpc_slice_unref(message);
    outflow_put_buffer(outflow, buffer);
}

void outflow_end(struct outflow *outflow, const struct reply *reply)
{
    outflow->ended = true;
    outflow->code = reply->code;
    outflow->details = grpc_slice_ref(reply->details);
    outflow->trailing = reply->trailing;
    outflow->trailing_count = reply->trailing_count;
    if (reply->code != GRPC_STATUS_OK) {
        drop_waiting(outflow);
        if (outflow->sending) {
            worker_disarm(&outflow->call->gateway->worker, &outflow->patience);
            watch_patience(outflow, FAILURE_PATIENCE_MS);
        }
    }
    enum status_code code = outflow->gone ? STATUS_CANCELLED : (enum status_code)reply->code;
    call_log_reply(outflow->call, code, transport_slice_bytes(&outflow->details), NULL);
    send_next(outflow);
    finish_if_over(outflow);
}

void outflow_fail(struct outflow *outflow, const struct error *error)
{
    char text[ERROR_MESSAGE_SIZE + 16];
    snprintf(text, sizeof text, "crigate: %s", error->message);
    struct reply reply = {.code = (grpc_status_code)error->code, .details = grpc_slice_from_copied_string(text)};
    outflow_end(outflow, &reply);
    grpc_slice_unref(reply.details);
}

uint64_t outflow_taken(const struct outflow *outflow)
{
    return outflow->sent + outflow->messages;
}

/* ---- the caller's side ---- */

void outflow_caller_gone(struct outflow *outflow)
{
    if (!outflow->gone) {
        outflow->gone = true;
        drop_waiting(outflow);
        if (!outflow->ended) {
            outflow->listener->gone(outflow->state);
        } else {
            finish_if_over(outflow);
        }
    }
}

void outflow_leave(struct outflow *outflow)
{
    if (outflow->listener->leaving && !outflow->ended && !outflow->gone) {
        outflow->listener->leaving(outflow->state);
    }
}
