#include "list_query.h"

#include <grpc/byte_buffer.h>
#include <stdlib.h>

#include "core/runtimes/collect.h"
#include "core/runtimes/failure.h"
#include "core/transport/c_core.h"
#include "core/transport/loop_mark.h"
#include "translate/bytes/pieces.h"

/* The largest memory of a list; for a moment, twice as much. */
#define LONGEST (2 * LAST_KNOWN_DEFAULT_LIMIT)

struct list_query {
    struct runtime *runtime; /* referenced while the stream is open */
    const struct method *method;
    int64_t milliseconds;
    query_done *done; /* NULL after a cancellation */
    void *state;
    struct query *plain; /* while the list is asked for as one message; then the stream is */
    struct collect parts;
};

/* Why there is no list. */
static void explain(const struct list_query *query, struct error *error)
{
    struct bytes details = transport_slice_bytes(&query->parts.stream.exchange.details);
    if (query->parts.too_long) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the answer");
    } else if (!upstream_stream_explain(&query->parts.stream, query->method->stream->name, error)) {
        error_set(error, (enum status_code)query->parts.stream.exchange.status, "%.*s", BYTES_SHOWN(details, 512));
    }
}

/* Hands the list over, if it is one that may be taken apart. */
static void finish(const struct list_query *query, const struct error *error, struct bytes list)
{
    struct error refusal = *error;
    bool too_long = error->code == STATUS_OK && pieces_has_more_fields(pieces_of(&list), query->runtime->list_items);
    if (too_long) {
        runtime_refuse_list(query->runtime, &refusal);
    }
    query->done(query->state, &refusal, too_long ? (struct bytes){0} : list);
}

static void finish_whole(const struct list_query *query)
{
    struct error error = {0};
    struct bytes list = {0};
    struct arena *arena = arena_new(LONGEST);
    grpc_byte_buffer *message = collect_message(&query->parts);
    if (!arena || !transport_bytes(message, arena, &list)) {
        error_set(&error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the answer");
    }
    finish(query, &error, list);
    grpc_byte_buffer_destroy(message);
    arena_unref(arena);
}

static void on_ended(struct collect *parts)
{
    struct list_query *query = completion_owner(parts, struct list_query, parts);
    struct runtime *runtime = query->runtime;
    struct error error = {0};
    if (query->done && parts->stream.exchange.status == GRPC_STATUS_OK) {
        finish_whole(query);
    } else if (query->done) {
        explain(query, &error); /* which may cancel the query */
        if (query->done) {
            finish(query, &error, (struct bytes){0});
        }
    }
    collect_release(parts);
    free(query);
    runtime_unref(runtime);
}

static bool open_stream(struct list_query *query)
{
    const struct method *stream = query->method->stream;
    struct runtime *runtime = query->runtime;
    if (!stream || !runtime_serves(runtime, stream)) {
        return false;
    }
    grpc_metadata mark = loop_mark_metadata();
    const struct upstream_stream_request call = {
        .runtime = runtime,
        .path = stream->in[runtime->dialect].path,
        .request = grpc_empty_slice(),
        .metadata = &mark,
        .metadata_count = 1,
        .deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC),
        .budget = query->milliseconds,
        .background = true,
    };
    query->parts.limit = LONGEST;
    query->parts.ended = on_ended;
    if (!upstream_stream_start(&query->parts.stream, &call, &collect_callbacks, &query->parts)) {
        return false;
    }
    runtime_ref(runtime);
    upstream_stream_next(&query->parts.stream);
    return true;
}

static void on_answered(void *state, const struct error *error, struct bytes answer)
{
    struct list_query *query = state;
    query->plain = NULL;
    if (error->code != STATUS_RESOURCE_EXHAUSTED || !open_stream(query)) {
        finish(query, error, answer);
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
    query->plain = query_start(&runtime->connection.channel, method->in[runtime->dialect].path, (struct bytes){0}, milliseconds,
                               on_answered, query);
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
    upstream_stream_cancel(&query->parts.stream);
}
