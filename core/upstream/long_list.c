#include "long_list.h"

#include <grpc/byte_buffer.h>

#include "core/runtimes/collect.h"
#include "core/runtimes/failure.h"

struct long_list {
    struct upstream_call *upstream;
    void (*done)(struct upstream_call *upstream);
    struct collect parts;
};

/* The whole list replaces the missing answer. */
static void take_whole(struct long_list *list)
{
    struct upstream_call *upstream = list->upstream;
    grpc_byte_buffer_destroy(upstream->exchange.message);
    upstream->exchange.message = collect_message(&list->parts);
    upstream->seen.status = GRPC_STATUS_OK;
    upstream->exchange.trailing.count = 0; /* it may repeat the failure */
}

static void on_ended(struct collect *parts)
{
    struct long_list *list = completion_owner(parts, struct long_list, parts);
    struct upstream_call *upstream = list->upstream;
    struct error unused;
    if (parts->stream.exchange.status == GRPC_STATUS_OK) {
        take_whole(list);
    } else if (runtime_status_means_lacking((enum status_code)parts->stream.exchange.status, upstream_details(upstream))) {
        runtime_lacks_stream(upstream->seen.runtime, upstream->seen.request->method->stream);
    } else if (!parts->too_long) {
        upstream_stream_explain(&parts->stream, upstream->seen.request->method->stream->name,
                                &unused); /* for what it does to the runtime's state */
    }
    upstream->state = UPSTREAM_IDLE;
    upstream->stream = NULL;
    collect_release(parts);
    list->done(upstream);
}

bool long_list_start(struct upstream_call *upstream, void (*done)(struct upstream_call *upstream))
{
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
    list->parts.limit = call_memory(request->generation->map->limits.message_size) / 2; /* as it came, and converted */
    list->parts.ended = on_ended;
    struct error failure = upstream->error;
    if (!upstream_open_stream(upstream, stream, &list->parts.stream, &collect_callbacks, &list->parts)) {
        upstream->error = failure;
        return false;
    }
    upstream_stream_next(&list->parts.stream);
    return true;
}
