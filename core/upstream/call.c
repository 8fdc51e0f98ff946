#include "call.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>

#include "core/hooks/call.h"
#include "core/knowledge/learn.h"
#include "core/runtimes/failure.h"
#include "core/runtimes/name_map.h"
#include "core/runtimes/stream.h"
#include "core/transport/c_core.h"
#include "core/transport/query.h"
#include "core/upstream/budget.h"

/* A tag and a length. */
#define SHORTEST_ITEM 2

static void close_arena(struct upstream_call *upstream)
{
    if (upstream->arena && upstream->arena != upstream->seen.request->arena) {
        upstream->used += arena_used(upstream->arena);
        arena_unref(upstream->arena);
    }
    upstream->arena = NULL;
}

void upstream_forget_answer(struct upstream_call *upstream)
{
    for (size_t i = 0; i < upstream->part_count; i++) {
        grpc_slice_unref(upstream->parts[i]);
    }
    upstream->part_count = 0;
    upstream->parts = NULL;
    upstream->response = (struct bytes){0};
    upstream->form = ANSWER_RESPONSE;
}

bool upstream_renew_arena(struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    upstream_forget_answer(upstream);
    close_arena(upstream);
    upstream->arena = observation_is_one_of_several(&upstream->seen)
                          ? arena_new(call_memory(request->generation->map->limits.message_size) / 2)
                          : request->arena;
    return upstream->arena || error_no_memory(&upstream->error);
}

bool upstream_succeeded(const struct upstream_call *upstream)
{
    bool answered = upstream->error.code == STATUS_OK && upstream->seen.status == GRPC_STATUS_OK;
    return upstream->stale || (answered && !upstream->omitted);
}

static const char *find_stream_address(void *state)
{
    struct runtime *runtime = state;
    return stream_address_find(&runtime->stream_address, runtime->entry->name, runtime->dialect);
}

/* Whether the answer is checked for what would spoil the answers of others. The primary's failure fails the call anyway, as it
   would without a gateway; its lists must not have names of other runtimes. Lists of pods and containers are scanned for those
   first. */
static bool is_merged(const struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    if (!request->several || observation_is_one_of_several(&upstream->seen)) {
        return request->several;
    }
    return request->method->merge == MERGE_CONCAT && (upstream->suspect || !learn_is_list(request->method));
}

void upstream_note_losses(struct upstream_call *upstream, const struct report *report)
{
    report_add(&upstream->report, report);
    runtime_note_losses(upstream->seen.runtime, report, false);
}

/* Maps the names of the runtime's responses to the caller's. */
static void fill_names(const struct upstream_call *upstream, struct name_map *names)
{
    const struct generation *generation = upstream->seen.request->generation;
    bool learns = generation->plain_count > 1 && !upstream->seen.runtime->replaced;
    struct id_index *index = learns ? upstream->seen.knowledge->index : NULL;
    name_map_for_response(names, generation->map, upstream->seen.position, index, upstream->seen.runtime->slot,
                          learn_subject(upstream->seen.request->method));
    names->beginning = upstream->seen.request->beginning;
    name_map_complete_paths(names, find_stream_address, upstream->seen.runtime);
    if (!is_merged(upstream)) {
        name_map_believe_ids(names);
    }
}

void upstream_conversion(const struct upstream_call *upstream, struct name_map *names, struct conversion *conversion)
{
    const struct request *request = upstream->seen.request;
    fill_names(upstream, names);
    *conversion = (struct conversion){
        .method = request->method,
        .from = runtime_answer_dialect(upstream->seen.runtime),
        .to = request->caller,
        .arena = upstream->arena,
        .names = &names->names,
        .node = request->node,
        .merged = is_merged(upstream),
    };
}

bool upstream_convert(struct upstream_call *upstream, struct bytes answer, enum dialect from, struct arena *arena,
                      struct bytes *converted)
{
    struct name_map names;
    struct conversion conversion;
    upstream_conversion(upstream, &names, &conversion);
    conversion.from = from;
    conversion.arena = arena;
    if (!convert_response(&conversion, answer, converted, &upstream->error)) {
        return error_wrap(&upstream->error, "the answer of runtime %s cannot be read", upstream->seen.runtime->entry->name);
    }
    upstream_note_losses(upstream, &conversion.report);
    return true;
}

/* Runtimes know the deadline, too, and may be a moment ahead of it. */
#define DEADLINE_SLACK_MS 100

bool upstream_was_cut_short(const struct upstream_call *upstream)
{
    gpr_timespec deadline = upstream->seen.request->deadline;
    gpr_timespec soon = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(DEADLINE_SLACK_MS, GPR_TIMESPAN));
    bool too_late = upstream->seen.status == GRPC_STATUS_DEADLINE_EXCEEDED && gpr_time_cmp(deadline, soon) <= 0;
    return upstream->error.code == STATUS_CANCELLED ||
           (upstream->error.code == STATUS_OK &&
            (too_late || (upstream->seen.status == GRPC_STATUS_CANCELLED && upstream->seen.request->cancelled)));
}

bool upstream_message_pieces(const struct upstream_call *upstream, struct pieces *message)
{
    const grpc_slice_buffer *slices = &upstream->exchange.message->data.raw.slice_buffer;
    struct bytes *each = arena_alloc(upstream->arena, slices->count * sizeof *each);
    for (size_t i = 0; each && i < slices->count; i++) {
        each[i] = transport_slice_bytes(&slices->slices[i]);
    }
    *message = (struct pieces){.each = each, .count = slices->count};
    return each != NULL;
}

/* Whether the answer is a list of more items than limits.list_items: to take it apart would keep all other
   calls waiting. */
static bool is_too_long(const struct upstream_call *upstream)
{
    size_t most = upstream->seen.runtime->list_items;
    bool may_be = upstream->seen.request->method->merge == MERGE_CONCAT &&
                  grpc_byte_buffer_length(upstream->exchange.message) / SHORTEST_ITEM > most;
    struct pieces message;
    return may_be && (!upstream_message_pieces(upstream, &message) || pieces_has_more_fields(message, most));
}

bool upstream_receive(struct upstream_call *upstream, struct error *error)
{
    if (!upstream->seen.is_whole && is_too_long(upstream)) {
        return runtime_refuse_list(upstream->seen.runtime, error);
    }
    if (!upstream->seen.is_whole && !transport_bytes(upstream->exchange.message, upstream->arena, &upstream->seen.received)) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the answer of runtime %s exceeds the memory limit of a call",
                         upstream->seen.runtime->entry->name);
    }
    upstream->seen.is_whole = true;
    upstream->seen.runs = pieces_of(&upstream->seen.received);
    return true;
}

bool upstream_open_stream(struct upstream_call *upstream, const struct method *method, struct upstream_stream *stream,
                          const struct upstream_stream_callbacks *callbacks, void *state)
{
    const struct request *request = upstream->seen.request;
    struct upstream_stream_request opening = {
        .runtime = upstream->seen.runtime,
        .path = method->in[upstream->seen.runtime->dialect].path,
        .request = transport_slice(upstream->seen.sent, request->arena),
        .metadata = request->metadata.metadata,
        .metadata_count = request->forwardable,
        .deadline = request->deadline,
        .budget = request->generation->map->runtimes[upstream->seen.position].budget,
        .patient = budget_is_waived(&upstream->seen),
    };
    bool started = upstream_stream_start(stream, &opening, callbacks, state);
    grpc_slice_unref(opening.request);
    upstream->state = started ? UPSTREAM_STREAMING : UPSTREAM_IDLE;
    upstream->stream = started ? stream : NULL;
    return started || error_set(&upstream->error, STATUS_INTERNAL, "the transport refused the stream of runtime %s",
                                upstream->seen.runtime->entry->name);
}

void upstream_cancel(struct upstream_call *upstream)
{
    switch (upstream->state) {
    case UPSTREAM_IDLE:
        break;
    case UPSTREAM_IN_HOOKS:
        hook_call_cancel(upstream->hooks);
        break;
    case UPSTREAM_ASKING:
        grpc_call_cancel(upstream->exchange.call, NULL);
        break;
    case UPSTREAM_WAITING:
        upstream->shared.cancelled = true;
        worker_arm(upstream->seen.runtime->worker, &upstream->shared.timer, 0);
        break;
    case UPSTREAM_STREAMING:
        upstream_stream_cancel(upstream->stream);
        break;
    case UPSTREAM_COMPOSING:
        query_cut_short(upstream->question);
        break;
    }
}

const struct exchange *upstream_exchange(const struct upstream_call *upstream)
{
    return upstream->stream ? &upstream->stream->exchange : &upstream->exchange;
}

struct bytes upstream_details(const struct upstream_call *upstream)
{
    const struct exchange *exchange = upstream_exchange(upstream);
    return exchange->call ? transport_slice_bytes(&exchange->details) : (struct bytes){0};
}

size_t upstream_release(struct upstream_call *upstream)
{
    size_t used = upstream->exchange.message ? grpc_byte_buffer_length(upstream->exchange.message) : 0;
    upstream_forget_answer(upstream);
    close_arena(upstream);
    if (upstream->stream) {
        upstream_stream_release(upstream->stream);
    }
    exchange_release(&upstream->exchange);
    return used + upstream->used;
}
