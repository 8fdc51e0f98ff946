#include "list_query.h"

#include <grpc/byte_buffer.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtimes/failure.h"
#include "core/runtimes/stream.h"
#include "core/transport/c_core.h"
#include "core/transport/loop_mark.h"
#include "translate/pieces.h"

struct list_query {
    struct runtime *runtime; /* referenced while the stream is open */
    const struct method *method;
    int64_t milliseconds;
    query_done *done; /* NULL after a cancellation */
    void *state;
    struct query *plain; /* while the list is asked for as one message; then the stream is */
    struct upstream_stream stream;
    uint8_t *list;
    size_t size;
    size_t room;
    bool too_long;
};

static bool add(struct list_query *query, struct bytes part)
{
    if (part.len > query->room - query->size) {
        size_t room = 2 * query->room + part.len;
        uint8_t *grown = room <= 2 * LAST_KNOWN_DEFAULT_LIMIT ? realloc(query->list, room) : NULL;
        if (!grown) {
            return false;
        }
        query->list = grown;
        query->room = room;
    }
    if (part.len > 0) {
        memcpy(query->list + query->size, part.data, part.len);
    }
    query->size += part.len;
    return true;
}

static void on_message(void *state, grpc_byte_buffer *message)
{
    struct list_query *query = state;
    const grpc_slice_buffer *slices = &message->data.raw.slice_buffer;
    for (size_t i = 0; i < slices->count && !query->too_long; i++) {
        query->too_long = !add(query, transport_slice_bytes(&slices->slices[i]));
    }
    if (query->too_long) {
        upstream_stream_cancel(&query->stream);
    } else {
        upstream_stream_next(&query->stream);
    }
}

/* Why there is no list. */
static void explain(const struct list_query *query, struct error *error)
{
    struct bytes details = transport_slice_bytes(&query->stream.details);
    if (query->too_long) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory for the answer");
    } else if (!upstream_stream_explain(&query->stream, query->method->stream->name, error)) {
        error_set(error, (enum status_code)query->stream.status, "%.*s", (int)(details.len < 512 ? details.len : 512),
                  (const char *)details.data);
    }
}

/* Hands the list over, if it is one that may be taken apart. */
static void tell(const struct list_query *query, const struct error *error, struct bytes list)
{
    struct error refusal = *error;
    bool too_long = error->code == STATUS_OK && pieces_has_more_fields(pieces_of(&list), query->runtime->list_items);
    if (too_long) {
        runtime_refuse_list(query->runtime, &refusal);
    }
    query->done(query->state, &refusal, too_long ? (struct bytes){0} : list);
}

static void on_ended(void *state)
{
    struct list_query *query = state;
    struct runtime *runtime = query->runtime;
    struct error error = {0};
    if (query->done && query->stream.status != GRPC_STATUS_OK) {
        explain(query, &error); /* which may cancel the query */
    }
    if (query->done) {
        tell(query, &error, bytes_of(query->list, query->size));
    }
    upstream_stream_release(&query->stream);
    free(query->list);
    free(query);
    runtime_unref(runtime);
}

static bool open_stream(struct list_query *query)
{
    static const struct upstream_stream_callbacks listener = {.message = on_message, .ended = on_ended};
    const struct method *stream = query->method->stream;
    struct runtime *runtime = query->runtime;
    if (!stream || !runtime_serves(runtime, stream)) {
        return false;
    }
    grpc_metadata mark = loop_mark_metadata();
    const struct upstream_stream_request call = {
        .runtime = runtime,
        .service = stream->service,
        .path = stream->in[runtime->dialect].path,
        .request = grpc_empty_slice(),
        .metadata = &mark,
        .metadata_count = 1,
        .deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC),
        .budget = query->milliseconds,
        .background = true,
    };
    if (!upstream_stream_start(&query->stream, &call, &listener, query)) {
        return false;
    }
    runtime_ref(runtime);
    upstream_stream_next(&query->stream);
    return true;
}

static void on_answered(void *state, const struct error *error, struct bytes answer)
{
    struct list_query *query = state;
    query->plain = NULL;
    if (error->code != STATUS_RESOURCE_EXHAUSTED || !open_stream(query)) {
        tell(query, error, answer);
        free(query);
    }
}

struct list_query *list_query_start(struct runtime *runtime, const struct method *method, int64_t milliseconds, query_done *done,
                                    void *state)
{
    struct list_query *query = calloc(1, sizeof *query);
    if (!query) {
        return NULL;
    }
    *query =
        (struct list_query){.runtime = runtime, .method = method, .milliseconds = milliseconds, .done = done, .state = state};
    query->plain = query_start(runtime_channel(runtime, method->service), method->in[runtime->dialect].path, (struct bytes){0},
                               milliseconds, on_answered, query);
    if (!query->plain) {
        free(query);
        return NULL;
    }
    return query;
}

void list_query_cancel(struct list_query *query)
{
    if (query->plain) {
        query_cancel(query->plain);
        free(query);
        return;
    }
    query->done = NULL;
    upstream_stream_cancel(&query->stream);
}
