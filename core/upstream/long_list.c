#include "long_list.h"

#include <grpc/byte_buffer.h>
#include <stdlib.h>

#include "core/runtimes/failure.h"
#include "core/runtimes/stream.h"

struct long_list {
    struct upstream_call *upstream;
    void (*done)(struct upstream_call *upstream);
    struct upstream_stream stream;
    grpc_slice *slices;
    size_t count;
    size_t room;
    size_t bytes; /* of messages, and of what keeps them */
    bool too_long;
};

static bool add_slice(struct long_list *list, grpc_slice slice)
{
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        grpc_slice *grown = realloc(list->slices, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        list->slices = grown;
        list->room = room;
    }
    list->slices[list->count++] = grpc_slice_ref(slice);
    return true;
}

static void on_message(void *state, grpc_byte_buffer *message)
{
    struct long_list *list = state;
    size_t most = request_memory(list->upstream->seen.request) / 2; /* as it came, and converted */
    const grpc_slice_buffer *slices = &message->data.raw.slice_buffer;
    /* Small messages, and empty ones, must not come for ever either. */
    size_t size = grpc_byte_buffer_length(message) + (slices->count + 1) * sizeof *list->slices;
    list->too_long = size > most - list->bytes;
    list->bytes += list->too_long ? 0 : size;
    for (size_t i = 0; i < slices->count && !list->too_long; i++) {
        list->too_long = !add_slice(list, slices->slices[i]);
    }
    if (list->too_long) {
        upstream_stream_cancel(&list->stream);
    } else {
        upstream_stream_next(&list->stream);
    }
}

/* The whole list stands for the answer that did not come. */
static void take_whole(struct long_list *list)
{
    struct upstream_call *upstream = list->upstream;
    grpc_byte_buffer_destroy(upstream->message);
    upstream->message = grpc_raw_byte_buffer_create(list->slices, list->count);
    upstream->seen.status = GRPC_STATUS_OK;
    upstream->trailing.count = 0; /* it may tell of the failure */
}

static void on_ended(void *state)
{
    struct long_list *list = state;
    struct upstream_call *upstream = list->upstream;
    struct error unused;
    if (list->stream.status == GRPC_STATUS_OK) {
        take_whole(list);
    } else if (runtime_status_means_lacking((enum status_code)list->stream.status, upstream_details(upstream))) {
        runtime_lacks_stream(upstream->seen.runtime, upstream->seen.request->method->stream);
    } else if (!list->too_long) {
        upstream_stream_explain(&list->stream, upstream->seen.request->method->stream->name,
                                &unused); /* the runtime's state is to hear of it */
    }
    for (size_t i = 0; i < list->count; i++) {
        grpc_slice_unref(list->slices[i]);
    }
    free(list->slices);
    upstream->stream = NULL;
    upstream_stream_release(&list->stream);
    list->done(upstream);
}

bool long_list_start(struct upstream_call *upstream, void (*done)(struct upstream_call *upstream))
{
    static const struct upstream_stream_callbacks listener = {.message = on_message, .ended = on_ended};
    const struct request *request = upstream->seen.request;
    const struct method *stream = request->method->stream;
    if (upstream->seen.status != GRPC_STATUS_RESOURCE_EXHAUSTED || upstream->streamed || request->stream || !stream ||
        !runtime_serves(upstream->seen.runtime, stream)) {
        return false;
    }
    struct long_list *list = arena_zalloc(request->arena, sizeof *list);
    upstream->streamed = true;
    if (!list) {
        return false;
    }
    list->upstream = upstream;
    list->done = done;
    struct error failure = upstream->error;
    if (!upstream_open_stream(upstream, stream, &list->stream, &listener, list)) {
        upstream->error = failure;
        return false;
    }
    upstream_stream_next(&list->stream);
    return true;
}
