#include "stream.h"

#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "core/runtimes/stream.h"
#include "core/transport/c_core.h"
#include "core/transport/loop_mark.h"

/* A stream that ends with OK within this time, without a message, means that there will never be any. */
#define AT_ONCE_MS 1000

/* An event as it came, and what becomes of it. */
#define ARENA_MESSAGES 4
#define ARENA_BASE ((size_t)1024 * 1024)

struct event_stream {
    const struct event_stream_listener *listener; /* NULL: it was cancelled */
    void *state;
    struct runtime *runtime; /* referenced */
    struct upstream_stream upstream;
    size_t message_size;
    int64_t opened; /* clock_ns() */
    bool paused;    /* the next message was not asked for */
};

const struct method *event_stream_method(void)
{
    return method_by_name("GetContainerEvents");
}

static void read_on(struct event_stream *stream)
{
    stream->paused = !stream->listener->may_read(stream->state);
    if (!stream->paused) {
        upstream_stream_next(&stream->upstream);
    }
}

void event_stream_go_on(struct event_stream *stream)
{
    if (stream->paused) {
        read_on(stream);
    }
}

static void on_message(void *state, grpc_byte_buffer *message)
{
    struct event_stream *stream = state;
    struct bytes bytes;
    if (!stream->listener) {
        return;
    }
    struct arena *arena = arena_new(ARENA_MESSAGES * stream->message_size + ARENA_BASE);
    if (arena && transport_bytes(message, arena, &bytes)) {
        stream->listener->message(stream->state, bytes, arena);
    } else {
        stream->listener->lost(stream->state);
    }
    arena_unref(arena);
    if (stream->listener) {
        read_on(stream);
    }
}

static void on_ended(void *state)
{
    struct event_stream *stream = state;
    struct error error = {0};
    struct event_stream_end end = {
        .status = (enum status_code)stream->upstream.exchange.status,
        .details = transport_slice_bytes(&stream->upstream.exchange.details),
        .at_once = stream->upstream.messages == 0 && clock_ns() - stream->opened < AT_ONCE_MS * NANOSECONDS_A_MILLISECOND,
    };
    if (stream->listener) {
        end.explained =
            upstream_stream_explain(&stream->upstream, event_stream_method()->name, &error); /* which may cancel the stream */
    }
    if (stream->listener) {
        stream->listener->ended(stream->state, &end);
    }
    upstream_stream_release(&stream->upstream);
    runtime_unref(stream->runtime);
    free(stream);
}

struct event_stream *event_stream_open(struct runtime *runtime, size_t message_size, const struct event_stream_listener *listener,
                                       void *state)
{
    static const struct upstream_stream_callbacks upstream_stream_callbacks = {.message = on_message, .ended = on_ended};
    struct event_stream *stream = calloc(1, sizeof *stream);
    grpc_metadata mark = loop_mark_metadata();
    struct upstream_stream_request call = {
        .runtime = runtime,
        .path = event_stream_method()->in[runtime->dialect].path,
        .request = grpc_empty_slice(),
        .metadata = &mark,
        .metadata_count = 1,
        .deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC),
        .background = true,
    };
    if (!stream || !upstream_stream_start(&stream->upstream, &call, &upstream_stream_callbacks, stream)) {
        free(stream);
        return NULL;
    }
    stream->listener = listener;
    stream->state = state;
    stream->runtime = runtime_ref(runtime);
    stream->message_size = message_size;
    stream->opened = clock_ns();
    read_on(stream);
    return stream;
}

void event_stream_cancel(struct event_stream *stream)
{
    stream->listener = NULL;
    upstream_stream_cancel(&stream->upstream);
}
