#include "downstream_stream.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/calls/log.h"
#include "core/transport/c_core.h"

/* How long a failed stream waits until its last message is sent, before the failure is sent to the caller anyway. */
#define FAILURE_PATIENCE_MS 1000

struct downstream_message {
    struct downstream_message *next;
    grpc_byte_buffer *buffer;
    size_t size;
};

static void send_next(struct downstream_stream *downstream);

static void drop_first(struct downstream_stream *downstream)
{
    struct downstream_message *message = downstream->first;
    downstream->first = message->next;
    downstream->messages--;
    downstream->bytes -= message->size;
    grpc_byte_buffer_destroy(message->buffer);
    free(message);
}

/* What has not been handed to the transport yet. */
static void drop_waiting(struct downstream_stream *downstream)
{
    struct downstream_message *being_sent = downstream->on_its_way ? downstream->first : NULL;
    if (being_sent) {
        downstream->first = being_sent->next;
    }
    while (downstream->first) {
        drop_first(downstream);
    }
    if (being_sent) {
        being_sent->next = NULL;
        downstream->first = downstream->last = being_sent;
    }
}

static void log_end(struct downstream_stream *downstream, enum status_code code, struct bytes details)
{
    downstream->call->messages_sent = downstream->sent + downstream->messages;
    call_log_reply(downstream->call, code, details, NULL);
}

/* Nothing more will happen to the caller's side. */
static void finish(struct downstream_stream *downstream)
{
    struct call *call = downstream->call;
    drop_waiting(downstream);
    worker_disarm(call->server->worker, &downstream->patience);
    grpc_slice_unref(downstream->details);
    call->downstream = NULL;
    --*downstream->streams;
    call_drop(call);
}

static void finish_if_over(struct downstream_stream *downstream)
{
    bool finished = downstream->call->downstream != downstream;
    if (!finished && downstream->ended && !downstream->sending && (downstream->gone || downstream->status_sent)) {
        finish(downstream);
    }
}

/* ---- a caller that reads nothing ---- */

static void watch_patience(struct downstream_stream *downstream, unsigned milliseconds)
{
    if (milliseconds > 0 && !downstream->patience.armed) {
        downstream->sent_then = downstream->sent;
        worker_arm(downstream->call->server->worker, &downstream->patience, milliseconds);
    }
}

/* The status replaces the messages that the caller has not read. */
static void cut_off(struct downstream_stream *downstream)
{
    struct call *call = downstream->call;
    bool failed = downstream->ended && downstream->code != GRPC_STATUS_OK;
    char text[ERROR_MESSAGE_SIZE] = "crigate: the caller is not reading messages";
    if (failed) {
        struct bytes details = transport_slice_bytes(&downstream->details);
        snprintf(text, sizeof text, "%.*s", (int)(details.len < sizeof text ? details.len : sizeof text),
                 (const char *)details.data);
    } else {
        log_end(downstream, STATUS_RESOURCE_EXHAUSTED, bytes_of_string(text));
    }
    grpc_status_code code = failed ? downstream->code : GRPC_STATUS_RESOURCE_EXHAUSTED;
    grpc_call_cancel_with_status(call->server_call, code, text, NULL);
    downstream_caller_gone(downstream);
}

static void on_patience(struct completion *completion, bool ok)
{
    (void)ok;
    struct downstream_stream *downstream = completion_owner(completion, struct downstream_stream, patience);
    if (!downstream->sending || downstream->gone) {
        return;
    }
    if (downstream->sent == downstream->sent_then) {
        cut_off(downstream);
    } else {
        watch_patience(downstream, downstream->bounds.patience);
    }
}

/* ---- sending ---- */

static void tell_room(struct downstream_stream *downstream)
{
    if (downstream->refused && !downstream->ended && downstream_has_room(downstream)) {
        downstream->refused = false;
        downstream->listener->room(downstream->state);
    }
}

static void on_sending_ended(struct completion *completion, bool ok)
{
    struct downstream_stream *downstream = completion_owner(completion, struct downstream_stream, sending_ended);
    struct call *call = downstream->call;
    downstream->sending = false;
    call->state = CALL_STREAMING;
    if (downstream->on_its_way) {
        downstream->on_its_way = false;
        downstream->sent += ok;
        drop_first(downstream);
    }
    if (ok) {
        send_next(downstream);
        tell_room(downstream);
    } else {
        downstream_caller_gone(downstream);
    }
    finish_if_over(downstream);
    call_drop(call);
}

static void start_batch(struct downstream_stream *downstream, const grpc_op *ops, size_t count)
{
    struct call *call = downstream->call;
    downstream->sending = true;
    call->state = CALL_REPLYING;
    if (!call_start_batch(call, ops, count, &downstream->sending_ended)) {
        downstream->sending = downstream->on_its_way = false;
        call->state = CALL_STREAMING;
        grpc_call_cancel(call->server_call, NULL);
        downstream_caller_gone(downstream);
        return;
    }
    watch_patience(downstream, downstream->bounds.patience);
}

static void send_next(struct downstream_stream *downstream)
{
    bool has_message = downstream->messages > 0;
    if (downstream->sending || downstream->gone || downstream->status_sent || (!has_message && !downstream->ended)) {
        return;
    }
    grpc_op ops[2];
    size_t count = 0;
    if (!downstream->started) {
        downstream->started = true;
        ops[count++] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
    }
    if (has_message) {
        downstream->on_its_way = true;
        ops[count++] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = downstream->first->buffer};
    } else {
        downstream->status_sent = true;
        ops[count++] = (grpc_op){
            .op = GRPC_OP_SEND_STATUS_FROM_SERVER,
            .data.send_status_from_server = {.trailing_metadata_count = transport_sendable(&downstream->trailing),
                                             .trailing_metadata = downstream->trailing.metadata,
                                             .status = downstream->code,
                                             .status_details = &downstream->details},
        };
    }
    start_batch(downstream, ops, count);
}

void downstream_open(struct downstream_stream *downstream)
{
    if (!downstream->started && !downstream->sending && !downstream->gone) {
        downstream->started = true;
        start_batch(downstream, &(grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA}, 1);
    }
}

/* ---- the producer's side ---- */

bool downstream_start(struct downstream_stream *downstream, struct call *call, const struct downstream_bounds *bounds,
                      const struct downstream_callbacks *listener, void *state, struct error *error)
{
    struct call_server *server = call->server;
    bool first = call->request.socket == &call->request.generation->map->listen;
    unsigned *streams = first ? &server->streams : &call->caller->socket->streams;
    if (*streams >= call->request.socket->limits.streams) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED,
                         "too many streaming calls at once; raise limits.streams in the runtime map");
    }
    if (listener->stopping && server->stopping) {
        return error_set(error, STATUS_UNAVAILABLE, "the gateway is stopping; retry");
    }
    *downstream = (struct downstream_stream){
        .call = call,
        .listener = listener,
        .state = state,
        .bounds = *bounds,
        .streams = streams,
        .sending_ended.run = on_sending_ended,
        .patience.completion.run = on_patience,
        .details = grpc_empty_slice(),
    };
    ++*streams;
    call->downstream = downstream;
    call->state = CALL_STREAMING;
    call_hold(call);
    if (call->request.cancelled) {
        downstream_caller_gone(downstream);
    }
    return true;
}

bool downstream_has_room(struct downstream_stream *downstream)
{
    bool room =
        downstream->gone || (downstream->messages < downstream->bounds.messages && downstream->bytes < downstream->bounds.bytes);
    downstream->refused = downstream->refused || !room;
    return room;
}

void downstream_put_buffer(struct downstream_stream *downstream, grpc_byte_buffer *buffer)
{
    struct downstream_message *message = malloc(sizeof *message);
    if (!message || downstream->gone || downstream->ended) {
        grpc_byte_buffer_destroy(buffer);
        free(message);
        if (!message) {
            cut_off(downstream); /* a stream must not lack a message in its midst */
        }
        return;
    }
    *message = (struct downstream_message){.buffer = buffer, .size = grpc_byte_buffer_length(buffer)};
    if (downstream->messages++ == 0) {
        downstream->first = message;
    } else {
        downstream->last->next = message;
    }
    downstream->last = message;
    downstream->bytes += message->size;
    send_next(downstream);
}

void downstream_put(struct downstream_stream *downstream, grpc_slice message)
{
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&message, 1);
    grpc_slice_unref(message);
    downstream_put_buffer(downstream, buffer);
}

void downstream_end(struct downstream_stream *downstream, const struct reply *reply)
{
    downstream->ended = true;
    downstream->code = reply->code;
    downstream->details = grpc_slice_ref(reply->details);
    downstream->trailing = reply->trailing;
    if (reply->code != GRPC_STATUS_OK) {
        drop_waiting(downstream);
        if (downstream->sending) {
            worker_disarm(downstream->call->server->worker, &downstream->patience);
            watch_patience(downstream, FAILURE_PATIENCE_MS);
        }
    }
    enum status_code code = downstream->gone ? STATUS_CANCELLED : (enum status_code)reply->code;
    log_end(downstream, code, transport_slice_bytes(&downstream->details));
    send_next(downstream);
    finish_if_over(downstream);
}

void downstream_fail(struct downstream_stream *downstream, const struct error *error)
{
    char text[ERROR_MESSAGE_SIZE + 16];
    snprintf(text, sizeof text, "crigate: %s", error->message);
    struct reply reply = {.code = (grpc_status_code)error->code, .details = grpc_slice_from_copied_string(text)};
    downstream_end(downstream, &reply);
    grpc_slice_unref(reply.details);
}

/* ---- the caller's side ---- */

void downstream_caller_gone(struct downstream_stream *downstream)
{
    if (!downstream->gone) {
        downstream->gone = true;
        drop_waiting(downstream);
        if (!downstream->ended) {
            downstream->listener->gone(downstream->state);
        } else {
            finish_if_over(downstream);
        }
    }
}

void downstream_stop(struct downstream_stream *downstream)
{
    if (downstream->listener->stopping && !downstream->ended && !downstream->gone) {
        downstream->listener->stopping(downstream->state);
    }
}
