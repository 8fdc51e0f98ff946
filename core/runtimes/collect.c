#include "collect.h"

#include <grpc/byte_buffer.h>
#include <stdlib.h>

static bool add_slice(struct collect *collect, grpc_slice slice)
{
    if (collect->count == collect->room) {
        size_t room = collect->room > 0 ? 2 * collect->room : 64;
        grpc_slice *grown = realloc(collect->slices, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        collect->slices = grown;
        collect->room = room;
    }
    collect->slices[collect->count++] = grpc_slice_ref(slice);
    return true;
}

static void on_message(void *state, grpc_byte_buffer *message)
{
    struct collect *collect = state;
    const grpc_slice_buffer *slices = &message->data.raw.slice_buffer;
    /* Small messages, and empty ones, must not come forever either. */
    size_t size = grpc_byte_buffer_length(message) + (slices->count + 1) * sizeof *collect->slices;
    collect->too_long = size > collect->limit - collect->size;
    collect->size += collect->too_long ? 0 : size;
    for (size_t i = 0; i < slices->count && !collect->too_long; i++) {
        collect->too_long = !add_slice(collect, slices->slices[i]);
    }
    if (collect->too_long) {
        upstream_stream_cancel(&collect->stream);
    } else {
        upstream_stream_next(&collect->stream);
    }
}

static void on_ended(void *state)
{
    struct collect *collect = state;
    collect->ended(collect);
}

const struct upstream_stream_callbacks collect_callbacks = {.message = on_message, .ended = on_ended};

grpc_byte_buffer *collect_message(const struct collect *collect)
{
    return grpc_raw_byte_buffer_create(collect->slices, collect->count);
}

void collect_release(struct collect *collect)
{
    for (size_t i = 0; i < collect->count; i++) {
        grpc_slice_unref(collect->slices[i]);
    }
    free(collect->slices);
    upstream_stream_release(&collect->stream);
}
