#include "stream.h"

#include <grpc/byte_buffer.h>
#include <inttypes.h>
#include <string.h>

#include "base/system/clock.h"
#include "core/runtimes/failure.h"
#include "core/transport/c_core.h"

static bool start_batch(struct upstream_stream *stream, const grpc_op *ops, size_t count, struct completion *completion)
{
    if (grpc_call_start_batch(stream->exchange.call, ops, count, completion, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(stream->exchange.call, NULL);
        return false;
    }
    stream->pending++;
    return true;
}

static void cut_short(struct upstream_stream *stream, enum upstream_stream_state why)
{
    if (stream->reading < STREAM_CUT_SHORT) {
        stream->reading = why;
    }
    worker_disarm(stream->runtime->worker, &stream->patience);
    grpc_call_cancel(stream->exchange.call, NULL);
}

/* The status comes when all messages have been taken, or none can come any more; then `closed` is the last batch to end, or the
   others follow at once. Where messages were thrown away, an OK that came before the cancellation must not count. */
static void end_batch(struct upstream_stream *stream)
{
    if (--stream->pending == 0) {
        bool whole = stream->reading == STREAM_ENDED;
        if (!whole && stream->exchange.status == GRPC_STATUS_OK) {
            stream->exchange.status = GRPC_STATUS_CANCELLED;
        }
        worker_disarm(stream->runtime->worker, &stream->patience);
        stream->runtime->calls -= !stream->background;
        stream->callbacks->ended(stream->state);
    }
}

static void on_closed(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_stream *stream = completion_owner(completion, struct upstream_stream, closed);
    if (stream->reading == STREAM_OPEN) {
        stream->reading = STREAM_ENDED;
    }
    end_batch(stream);
}

static void on_patience(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_stream *stream = completion_owner(completion, struct upstream_stream, patience);
    if (stream->patient) {
        runtime_hangs(stream->runtime, stream->asked, stream->method);
        return;
    }
    cut_short(stream, STREAM_OVER_BUDGET);
}

static void on_received(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_stream *stream = completion_owner(completion, struct upstream_stream, received);
    worker_disarm(stream->runtime->worker, &stream->patience);
    grpc_byte_buffer *message = stream->exchange.message;
    stream->exchange.message = NULL;
    bool wanted = message && stream->reading <= STREAM_ENDED;
    if (wanted && transport_is_compressed(stream->exchange.call)) {
        cut_short(stream, STREAM_COMPRESSED);
    } else if (wanted) {
        stream->messages++;
        stream->callbacks->message(stream->state, message);
    } else if (stream->reading == STREAM_OPEN) {
        stream->reading = STREAM_ENDED;
    }
    grpc_byte_buffer_destroy(message);
    end_batch(stream);
}

bool upstream_stream_start(struct upstream_stream *stream, const struct upstream_stream_request *call,
                           const struct upstream_stream_callbacks *callbacks, void *state)
{
    struct runtime *runtime = call->runtime;
    *stream = (struct upstream_stream){
        .runtime = runtime,
        .method = strrchr(call->path, '/') + 1,
        .callbacks = callbacks,
        .state = state,
        .budget = call->budget,
        .background = call->background,
        .patient = call->patient,
        .patience.completion.run = on_patience,
        .received.run = on_received,
        .closed.run = on_closed,
    };
    struct channel *channel = &runtime->connection.channel;
    channel_call(channel, &stream->exchange, NULL, grpc_slice_from_static_string(call->path), call->deadline);
    grpc_slice slice = call->request;
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    if (!channel_send(channel, stream->exchange.call, call->metadata, call->metadata_count, message)) {
        stream->reading = STREAM_CUT_SHORT; /* `closed` follows */
    }
    grpc_byte_buffer_destroy(message);
    const grpc_op close[] = {exchange_receive_initial(&stream->exchange), exchange_receive_status(&stream->exchange)};
    if (!start_batch(stream, close, sizeof close / sizeof close[0], &stream->closed)) {
        upstream_stream_release(stream);
        return false;
    }
    runtime->calls += !stream->background;
    return true;
}

void upstream_stream_next(struct upstream_stream *stream)
{
    if (stream->reading != STREAM_OPEN) {
        return;
    }
    stream->asked = clock_ns();
    if (stream->budget > 0) {
        worker_arm(stream->runtime->worker, &stream->patience, stream->budget);
    }
    const grpc_op op = exchange_receive_message(&stream->exchange);
    if (!start_batch(stream, &op, 1, &stream->received)) {
        cut_short(stream, STREAM_CUT_SHORT);
    }
}

void upstream_stream_cancel(struct upstream_stream *stream)
{
    cut_short(stream, STREAM_CUT_SHORT);
}

bool upstream_stream_explain(const struct upstream_stream *stream, const char *method, struct error *error)
{
    struct runtime *runtime = stream->runtime;
    if (stream->reading == STREAM_COMPRESSED) {
        runtime_refuse_compression(runtime, error);
        return true;
    }
    if (stream->reading == STREAM_OVER_BUDGET) {
        runtime_hangs(runtime, stream->asked, stream->method);
        error_set(error, STATUS_UNAVAILABLE, "runtime %s did not answer %s within its budget of %" PRId64 " ms",
                  runtime->entry->name, method, stream->budget);
        return true;
    }
    return runtime_explain(runtime, stream->exchange.status, transport_slice_bytes(&stream->exchange.details), error);
}

void upstream_stream_release(struct upstream_stream *stream)
{
    exchange_release(&stream->exchange);
}
