#include "list_stream.h"

#include <grpc/byte_buffer.h>

#include "core/calls/downstream_stream.h"
#include "core/knowledge/learn.h"
#include "core/knowledge/stale_answer.h"
#include "core/runtimes/failure.h"
#include "core/runtimes/stream.h"
#include "core/store/list_copy.h"
#include "core/transport/c_core.h"
#include "core/upstream/list_answer.h"
#include "core/upstream/missing.h"
#include "core/upstream/run.h"
#include "translate/lists/item.h"

/* A list is cut into messages of about this size, unless one item is bigger. */
#define PART_SIZE ((size_t)32 * 1024)

/* What may wait for a caller that is slower than the runtimes, and for how long it may take nothing at all. */
static const struct downstream_bounds bounds = {.messages = 8, .bytes = (size_t)128 * 1024, .patience = 60000};

/* One runtime's part. */
struct list_source {
    struct list_stream *stream;
    struct upstream_call *upstream;
    struct upstream_stream incoming;
    bool streams;      /* the incoming is open */
    bool waits;        /* for room */
    bool ended;        /* it has nothing more to give */
    struct bytes rest; /* of a list that the runtime answered at once: what was not put yet, in the caller's dialect */

    struct list_copy copy; /* of the runtime's messages, for what is learned from a full list */
};

struct list_stream {
    struct call *call;
    void (*part_ended)(struct call *call);
    struct downstream_stream downstream;
    struct list_source *sources; /* one an upstream call */
    size_t turn;                 /* the source that is asked first when there is room */
    uint64_t bytes;
    bool over;    /* nothing more is sent: it failed, or the caller has disconnected */
    bool replied; /* downstream_end or downstream_fail was called */
};

static struct list_source *source_of(const struct call *call, const struct upstream_call *upstream)
{
    return &call->list_stream->sources[upstream - call->upstream_calls];
}

/* ---- what is learned from a full list ---- */

static void start_learning(struct list_source *source)
{
    const struct upstream_call *upstream = source->upstream;
    if (learn_wants_list(&upstream->seen)) {
        list_copy_start(&source->copy,
                        &upstream->seen.runtime->known.copies[learn_kind(upstream->seen.request->method->remember)]);
    }
}

/* Keeps the message for what is learned at the end. */
static void learn(struct list_source *source, struct bytes message)
{
    if (!list_copy_add(&source->copy, message, LAST_KNOWN_DEFAULT_LIMIT)) {
        learn_doubt(source->upstream->seen.runtime); /* what is known of it grows old */
    }
}

/* ---- the end ---- */

/* The call may be freed when this returns. */
static void end_source(struct list_source *source)
{
    if (!source->ended) {
        source->ended = true;
        list_copy_stop(&source->copy);
        source->stream->part_ended(source->stream->call);
    }
}

/* What is still running is ended; what is waiting has ended. */
static void stop_sources(struct list_stream *stream)
{
    struct call *call = stream->call;
    call_hold(call);
    stream->over = true;
    for (size_t i = 0; i < call->route.count; i++) {
        struct list_source *source = &stream->sources[i];
        if (source->waits && !source->streams) {
            end_source(source);
        } else if (source->upstream->owner && !source->ended) {
            upstream_cancel(source->upstream);
        }
    }
    call_drop(call);
}

/* The stream fails with the upstream call's failure. */
static void fail_with(struct list_source *source)
{
    struct list_stream *stream = source->stream;
    const struct upstream_call *upstream = source->upstream;
    if (stream->over) {
        return;
    }
    stream->replied = true;
    if (upstream->error.code != STATUS_OK) {
        downstream_fail(&stream->downstream, &upstream->error);
    } else {
        const struct exchange *exchange = upstream_exchange(upstream);
        struct reply reply = {.trailing = exchange->trailing, .code = upstream->seen.status, .details = exchange->details};
        downstream_end(&stream->downstream, &reply);
    }
    stop_sources(stream);
}

void list_stream_end(struct call *call)
{
    struct list_stream *stream = call->list_stream;
    struct reply reply = {.code = GRPC_STATUS_OK, .details = grpc_empty_slice()};
    memory_trim_used(&call->server->trim, stream->bytes);
    if (!stream->replied) {
        stream->replied = true;
        downstream_end(&stream->downstream, &reply);
    }
}

/* ---- a list that came at once ---- */

static void go_on(struct list_source *source);

static void put_parts(struct list_source *source)
{
    struct list_stream *stream = source->stream;
    while (source->rest.len > 0 && !stream->over) {
        struct bytes part;
        if (!downstream_has_room(&stream->downstream)) {
            source->waits = true;
            return;
        }
        if (!list_cut(&source->rest, PART_SIZE, &part)) {
            error_set(&source->upstream->error, STATUS_INTERNAL, "the answer of runtime %s cannot be read",
                      source->upstream->seen.runtime->entry->name);
            fail_with(source);
            break;
        }
        stream->bytes += part.len;
        downstream_put(&stream->downstream, grpc_slice_from_copied_buffer((const char *)part.data, part.len));
    }
    end_source(source);
}

/* The runtime has sent everything, or its replacement is complete. */
static void take_answer(struct list_source *source)
{
    struct upstream_call *upstream = source->upstream;
    if (upstream->seen.request->several) {
        missing_note(upstream);
    }
    if (upstream_succeeded(upstream)) {
        source->rest = upstream->response;
        go_on(source);
        return;
    }
    if (!upstream->omitted) {
        fail_with(source);
    }
    end_source(source);
}

void list_stream_take(struct call *call, struct upstream_call *upstream)
{
    struct list_source *source = source_of(call, upstream);
    source->streams = false;
    if (source->stream->over) {
        end_source(source);
    } else {
        take_answer(source);
    }
}

/* ---- a stream of the runtime's ---- */

/* Converts and sends a message; an unchanged one is sent as it arrived. */
static bool put_message(struct list_source *source, grpc_byte_buffer *message, struct arena *arena)
{
    struct list_stream *stream = source->stream;
    struct bytes received, converted;
    if (!arena || !transport_bytes(message, arena, &received)) {
        return error_set(&source->upstream->error, STATUS_RESOURCE_EXHAUSTED,
                         "a message of runtime %s exceeds the memory limit of a call",
                         source->upstream->seen.runtime->entry->name);
    }
    enum dialect from = runtime_answer_dialect(source->upstream->seen.runtime);
    source->upstream->suspect =
        learn_is_list(source->upstream->seen.request->method) && list_answer_claims(source->upstream, received);
    if (!upstream_convert(source->upstream, received, from, arena, &converted)) {
        return false;
    }
    learn(source, received);
    stream->bytes += converted.len;
    if (converted.data == received.data && converted.len == received.len) {
        downstream_put_buffer(&stream->downstream, grpc_byte_buffer_copy(message));
    } else if (converted.len > 0) {
        downstream_put(&stream->downstream, transport_slice(converted, arena));
    }
    return true;
}

static void on_message(void *state, grpc_byte_buffer *message)
{
    struct list_source *source = state;
    if (source->stream->over) {
        return;
    }
    struct arena *arena = call_new_arena(source->stream->call);
    if (put_message(source, message, arena)) {
        go_on(source);
    } else {
        fail_with(source);
    }
    arena_unref(arena);
}

/* The stream itself has failed: the list can still be used if none of it was sent yet. */
static void take_failure(struct list_source *source)
{
    struct upstream_call *upstream = source->upstream;
    const struct method *method = upstream->seen.request->stream;
    bool begun = source->incoming.messages > 0;
    bool explained = upstream_stream_explain(&source->incoming, method->name, &upstream->error);
    if (!explained && !begun &&
        runtime_status_means_lacking((enum status_code)upstream->seen.status, upstream_details(upstream))) {
        runtime_lacks_stream(upstream->seen.runtime, method);
        upstream_stream_release(&source->incoming);
        upstream->stream = NULL;
        upstream_ask(upstream);
        return;
    }
    if (begun) {
        fail_with(source);
        end_source(source);
    } else {
        upstream_stand_in(upstream);
    }
}

/* A part with more items than a list may have is sent as it arrives, message by message, but not examined as a whole. */
static bool learned_too_much(const struct list_source *source)
{
    const struct bytes seen = buffer_bytes(&source->copy.bytes);
    return pieces_has_more_fields(pieces_of(&seen), source->upstream->seen.runtime->list_items);
}

static void on_ended(void *state)
{
    struct list_source *source = state;
    struct upstream_call *upstream = source->upstream;
    source->streams = false;
    upstream->state = UPSTREAM_IDLE;
    upstream->seen.status = source->incoming.exchange.status;
    if (source->stream->over) {
        end_source(source);
    } else if (upstream->seen.status != GRPC_STATUS_OK) {
        take_failure(source);
    } else {
        if (list_copy_is_made(&source->copy) && learned_too_much(source)) {
            learn_doubt(upstream->seen.runtime);
        } else if (list_copy_is_made(&source->copy)) {
            upstream->seen.received = buffer_bytes(&source->copy.bytes);
            upstream->seen.runs = pieces_of(&upstream->seen.received);
            learn_answer(&upstream->seen, upstream->response);
        }
        if (upstream->seen.request->several) {
            missing_note(upstream);
        }
        end_source(source);
    }
}

void list_stream_open(struct call *call, struct upstream_call *upstream)
{
    static const struct upstream_stream_callbacks listener = {.message = on_message, .ended = on_ended};
    struct list_source *source = source_of(call, upstream);
    if (source->stream->over) {
        end_source(source);
        return;
    }
    start_learning(source);
    source->streams = upstream_open_stream(upstream, upstream->seen.request->stream, &source->incoming, &listener, source);
    if (source->streams) {
        go_on(source);
    } else {
        take_answer(source);
    }
}

/* ---- the caller's pace ---- */

static void go_on(struct list_source *source)
{
    struct list_stream *stream = source->stream;
    source->waits = source->copy.slow = false;
    if (!source->streams) {
        put_parts(source);
    } else if (downstream_has_room(&stream->downstream)) {
        upstream_stream_next(&source->incoming);
    } else {
        source->waits = source->copy.slow = true;
    }
}

static void on_room(void *state)
{
    struct list_stream *stream = state;
    struct call *call = stream->call;
    size_t count = call->route.count;
    call_hold(call);
    stream->turn++;
    for (size_t i = 0; i < count; i++) {
        struct list_source *source = &stream->sources[(stream->turn + i) % count];
        if (source->waits && !stream->over) {
            go_on(source);
        }
    }
    call_drop(call);
}

static void on_gone(void *state)
{
    stop_sources(state);
}

bool list_stream_start(struct call *call, void (*part_ended)(struct call *call), struct error *error)
{
    static const struct downstream_callbacks listener = {.room = on_room, .gone = on_gone};
    struct list_stream *stream = arena_zalloc(call->request.arena, sizeof *stream);
    struct list_source *sources = arena_zalloc(call->request.arena, call->route.count * sizeof *sources);
    if (!stream || !sources) {
        return error_no_memory(error);
    }
    *stream = (struct list_stream){.call = call, .part_ended = part_ended, .sources = sources};
    for (size_t i = 0; i < call->route.count; i++) {
        sources[i] = (struct list_source){.stream = stream, .upstream = &call->upstream_calls[i]};
        call->upstream_calls[i].seen.runtime = generation_peer(call->request.generation, call->route.targets[i],
                                                               call->request.method); /* for the log, if others fail first */
    }
    if (!downstream_start(&stream->downstream, call, &bounds, &listener, stream, error)) {
        return false;
    }
    call->list_stream = stream;
    return true;
}
