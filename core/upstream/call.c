#include "call.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <inttypes.h>
#include <string.h>

#include "core/calls/call.h"
#include "core/calls/list_stream.h"
#include "core/memory/learn.h"
#include "core/memory/stale_answer.h"
#include "core/runtimes/name_map.h"
#include "core/runtimes/query.h"
#include "core/runtimes/stream.h"
#include "core/transport/c_core.h"
#include "core/upstream/budget.h"
#include "core/upstream/compose_run.h"
#include "core/upstream/list_answer.h"
#include "core/upstream/long_list.h"
#include "translate/report.h"

#define NANOSECONDS_A_MILLISECOND 1000000

/* One that answers with too much is to fail alone: neither the others nor what becomes of their answers go without memory. */
static bool open_arena(struct upstream_call *upstream)
{
    struct call *call = upstream->call;
    upstream->arena =
        observation_is_one_of_several(&upstream->seen) ? arena_new(request_memory(&call->request) / 2) : call->request.arena;
    return upstream->arena || error_set(&upstream->error, STATUS_RESOURCE_EXHAUSTED, "no memory left for this call");
}

static void close_arena(struct upstream_call *upstream)
{
    if (upstream->arena && upstream->arena != upstream->call->request.arena) {
        gateway_used(upstream->call->gateway, arena_used(upstream->arena));
        arena_unref(upstream->arena);
    }
    upstream->arena = NULL;
}

/* What was made of the answer is gone. */
static bool renew_arena(struct upstream_call *upstream)
{
    list_answer_release(upstream);
    upstream->response = (struct bytes){0};
    if (upstream->arena != upstream->call->request.arena) {
        close_arena(upstream);
        upstream->arena = arena_new(request_memory(&upstream->call->request) / 2);
    }
    return upstream->arena != NULL;
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

/* Whether the answer is looked at for what would spoil those of others. The primary's failure fails the call anyway, as it would
   without a gateway; its lists must not have names of other runtimes, for which those of pods and containers are scanned first.
 */
static bool is_merged(const struct upstream_call *upstream)
{
    const struct call *call = upstream->call;
    if (!call->request.several || observation_is_one_of_several(&upstream->seen)) {
        return call->request.several;
    }
    return call->request.method->merge == MERGE_CONCAT && (upstream->suspect || !list_answer_is_scanned(upstream));
}

void upstream_names_of_response(const struct upstream_call *upstream, struct name_map *names)
{
    const struct generation *generation = upstream->call->request.generation;
    bool learns = generation->plain_count > 1 && !upstream->seen.runtime->replaced;
    struct id_index *index = learns ? upstream->call->gateway->knowledge.index : NULL;
    name_map_for_response(names, generation->map, upstream->seen.position, index, upstream->seen.runtime->slot,
                          learn_subject(upstream->call->request.method));
    names->beginning = upstream->call->request.beginning;
    name_map_complete_paths(names, find_stream_address, upstream->seen.runtime);
    if (!is_merged(upstream)) {
        name_map_believe_ids(names);
    }
}

static void note_losses(struct upstream_call *upstream, const struct report *report, bool request)
{
    report_add(&upstream->report, report);
    runtime_note_losses(upstream->seen.runtime, report, request);
}

void upstream_note_losses(struct upstream_call *upstream, const struct report *report)
{
    note_losses(upstream, report, false);
}

/* A package is always read with its newest schema. */
static enum dialect dialect_of_answer(const struct upstream_call *upstream)
{
    return dialects[upstream->seen.runtime->dialect].caller;
}

void upstream_conversion(const struct upstream_call *upstream, const struct name_map *names, struct conversion *conversion)
{
    const struct call *call = upstream->call;
    *conversion = (struct conversion){
        .method = call->request.method,
        .from = dialect_of_answer(upstream),
        .to = call->request.caller,
        .arena = upstream->arena,
        .names = &names->names,
        .node = call->request.node,
        .merged = is_merged(upstream),
    };
}

bool upstream_convert(struct upstream_call *upstream, struct bytes answer, enum dialect from, struct arena *arena,
                      struct bytes *converted)
{
    struct name_map names;
    upstream_names_of_response(upstream, &names);
    struct conversion conversion;
    upstream_conversion(upstream, &names, &conversion);
    conversion.from = from;
    conversion.arena = arena;
    if (!convert_response(&conversion, answer, converted, &upstream->error)) {
        return error_wrap(&upstream->error, "the answer of runtime %s cannot be read", upstream->seen.runtime->entry->name);
    }
    note_losses(upstream, &conversion.report, false);
    return true;
}

/* Whether it was our own budget that ended the call, rather than the caller's deadline or the runtime. */
static bool went_over_budget(const struct upstream_call *upstream)
{
    return upstream->budget > 0 && upstream->seen.status == GRPC_STATUS_DEADLINE_EXCEEDED &&
           worker_now() - upstream->began >= upstream->budget * NANOSECONDS_A_MILLISECOND;
}

/* Runtimes that are told of the deadline may be a moment ahead of it. */
#define DEADLINE_SLACK_MS 100

bool upstream_was_cut_short(const struct upstream_call *upstream)
{
    gpr_timespec deadline = upstream->call->request.deadline;
    gpr_timespec soon = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(DEADLINE_SLACK_MS, GPR_TIMESPAN));
    bool too_late = upstream->seen.status == GRPC_STATUS_DEADLINE_EXCEEDED && gpr_time_cmp(deadline, soon) <= 0;
    return upstream->error.code == STATUS_CANCELLED ||
           (upstream->error.code == STATUS_OK &&
            (too_late || (upstream->seen.status == GRPC_STATUS_CANCELLED && upstream->call->request.cancelled)));
}

/* A list can be big, and other runtimes may keep the call waiting. */
static void forget_message(struct upstream_call *upstream)
{
    grpc_byte_buffer_destroy(upstream->message);
    upstream->message = NULL;
    upstream->seen.received = (struct bytes){0};
    upstream->seen.runs = (struct pieces){0};
}

/* Converts what was seen, in the dialect of that time, and adds it to the response. */
static bool add_piece(struct upstream_call *upstream, const struct last_known_piece *piece)
{
    struct bytes before = upstream->response, converted;
    if (!upstream_convert(upstream, piece->response, dialects[piece->dialect].caller, upstream->arena, &converted)) {
        return false;
    }
    uint8_t *whole = arena_alloc(upstream->arena, before.len + converted.len);
    if (!whole) {
        return false;
    }
    if (before.len > 0) {
        memcpy(whole, before.data, before.len);
    }
    if (converted.len > 0) {
        memcpy(whole + before.len, converted.data, converted.len);
    }
    upstream->response = bytes_of(whole, before.len + converted.len);
    return true;
}

/* What was last seen is looked at closely, as it is not scanned. false: it cannot be converted. */
static bool take_pieces(struct upstream_call *upstream, const struct last_known_list *pieces)
{
    struct error failure = upstream->error;
    upstream->error = (struct error){0};
    upstream->suspect = true;
    upstream->response = (struct bytes){0};
    upstream->as_received = false;
    list_answer_release(upstream);
    bool taken = true;
    for (size_t i = 0; taken && i < pieces->count; i++) {
        taken = add_piece(upstream, &pieces->pieces[i]);
    }
    if (upstream->error.code != STATUS_OK) {
        learn_log_failure(upstream->seen.runtime, &upstream->error);
    }
    upstream->error = failure;
    return taken;
}

void upstream_stand_in(struct upstream_call *upstream)
{
    struct last_known_list pieces;
    enum stale_answer found = stale_answer_find(&upstream->seen, upstream->arena, &pieces, &upstream->error);
    if (found == STALE_FOUND && !take_pieces(upstream, &pieces)) {
        found = stale_answer_none(&upstream->seen, &upstream->error);
    }
    upstream->stale = found == STALE_FOUND;
    upstream->omitted = upstream->omitted || found == STALE_OMIT;
}

/* The runtime could not be asked, or did not answer; what was last seen of it may stand for it. */
static void end_without_answer(struct upstream_call *upstream)
{
    upstream_stand_in(upstream);
    call_upstream_ended(upstream);
}

/* A list that the caller waits for goes out before it is looked at for what it says of the runtime. */
static bool remembers_late(const struct upstream_call *upstream)
{
    return upstream->error.code == STATUS_OK && upstream->call->unanswered == 1 && !upstream->call->request.stream &&
           learn_wants_list(&upstream->seen);
}

static void end_and_remember(struct upstream_call *upstream)
{
    struct call *call = upstream->call;
    call_hold(call);
    call_upstream_ended(upstream);
    learn_answer(&upstream->seen, upstream->response);
    forget_message(upstream);
    call_drop(call);
}

static void end_with_answer(struct upstream_call *upstream)
{
    if (remembers_late(upstream)) {
        end_and_remember(upstream);
        return;
    }
    if (upstream->error.code == STATUS_OK) {
        learn_answer(&upstream->seen, upstream->response);
    }
    learn_end(&upstream->seen);
    if (!upstream->as_received) {
        forget_message(upstream);
    }
    bool exhausted = upstream->error.code == STATUS_RESOURCE_EXHAUSTED;
    if (upstream->error.code != STATUS_OK && (!exhausted || renew_arena(upstream))) {
        upstream_stand_in(upstream);
    }
    call_upstream_ended(upstream);
}

bool upstream_receive(struct upstream_call *upstream, struct error *error)
{
    if (!upstream->seen.is_whole && list_answer_is_too_long(upstream)) {
        return runtime_refuse_list(upstream->seen.runtime, error);
    }
    if (!upstream->seen.is_whole && !transport_bytes(upstream->message, upstream->arena, &upstream->seen.received)) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the answer of runtime %s takes more memory than one call may use",
                         upstream->seen.runtime->entry->name);
    }
    upstream->seen.is_whole = true;
    upstream->seen.runs = pieces_of(&upstream->seen.received);
    return true;
}

/* Whether the answer goes to the caller as it came and nobody looks at it on the way: then it need not be in one piece. */
static bool passes_unread(const struct upstream_call *upstream)
{
    const struct call *call = upstream->call;
    if (call->request.several || call->request.stream || learn_reads_answer(&upstream->seen)) {
        return false;
    }
    struct name_map names;
    struct conversion conversion;
    upstream_names_of_response(upstream, &names);
    upstream_conversion(upstream, &names, &conversion);
    return convert_passes_response(&conversion);
}

/* Takes the answer in one piece. */
static bool take_whole(struct upstream_call *upstream)
{
    struct bytes received;
    if (!upstream_receive(upstream, &upstream->error)) {
        return false;
    }
    received = upstream->seen.received;
    bool converted = upstream_convert(upstream, received, dialect_of_answer(upstream), upstream->arena, &upstream->response);
    upstream->as_received = converted && upstream->response.data == received.data && upstream->response.len == received.len;
    return converted;
}

/* The runtime's own answer is the one. */
static void take_answer(struct upstream_call *upstream)
{
    if (passes_unread(upstream)) {
        upstream->as_received = true;
        learn_end(&upstream->seen);
        call_upstream_ended(upstream);
        return;
    }
    (list_answer_suits(upstream) ? list_answer_take : take_whole)(upstream);
    end_with_answer(upstream);
}

static void on_answered(struct upstream_call *upstream)
{
    if (!upstream->message) {
        error_set(&upstream->error, STATUS_INTERNAL, "runtime %s answered without a message",
                  upstream->seen.runtime->entry->name);
        end_with_answer(upstream);
    } else if (transport_is_compressed(upstream->message)) {
        runtime_refuse_compression(upstream->seen.runtime, &upstream->error);
        end_with_answer(upstream);
    } else if (!compose_start(upstream, COMPOSE_ANSWERED)) {
        take_answer(upstream);
    }
}

/* An answer was put together in place of the runtime's own, which is remembered all the same. */
static void take_composed(struct upstream_call *upstream, const struct compose_result *composed)
{
    upstream->error = (struct error){0};
    upstream->seen.status = GRPC_STATUS_OK;
    upstream->omitted = false;
    upstream->suspect = true;
    upstream_convert(upstream, composed->answer, DIALECT_MODEL, upstream->arena, &upstream->response);
    if (composed->occasion == COMPOSE_ANSWERED) {
        if (upstream->error.code == STATUS_OK) {
            upstream_receive(upstream, &upstream->error);
        }
        end_with_answer(upstream);
    } else {
        upstream->trailing.count = 0; /* it may repeat the failure */
        call_upstream_ended(upstream);
    }
}

void compose_result(struct upstream_call *upstream, const struct compose_result *composed)
{
    if (composed->outcome == COMPOSED_ANSWER) {
        take_composed(upstream, composed);
        return;
    }
    if (composed->occasion == COMPOSE_ANSWERED) {
        take_answer(upstream);
        return;
    }
    if (composed->error.code != STATUS_OK) {
        upstream->error = composed->error;
    }
    end_without_answer(upstream);
}

/* A code that callers can act on, and perhaps more than the runtime's failure. */
static bool look_further(struct upstream_call *upstream)
{
    if (runtime_status_means_lacking((enum status_code)upstream->seen.status, transport_slice_bytes(&upstream->details))) {
        if (upstream->seen.status != GRPC_STATUS_UNIMPLEMENTED) {
            upstream->seen.status = GRPC_STATUS_UNIMPLEMENTED;
            upstream->trailing.count = 0; /* it may repeat the other code */
        }
        return compose_start(upstream, COMPOSE_LACKING);
    }
    return upstream->seen.status == GRPC_STATUS_UNKNOWN && compose_start(upstream, COMPOSE_UNKNOWN);
}

/* Whether the runtime has not even read what it is sent, for as long as its budget: whatever the call is, lists need not wait to
   find out. */
static bool reads_nothing(const struct upstream_call *upstream)
{
    const struct channel *channel = runtime_channel(upstream->seen.runtime, upstream->call->request.method->service);
    int64_t budget = upstream->seen.runtime->entry->budget * NANOSECONDS_A_MILLISECOND;
    return upstream->seen.status == GRPC_STATUS_DEADLINE_EXCEEDED && channel->unsent > 0 && channel->taken == upstream->taken &&
           worker_now() - upstream->began >= budget;
}

static void on_failed(struct upstream_call *upstream)
{
    const struct runtime_entry *entry = upstream->seen.runtime->entry;
    bool explained = runtime_explain(upstream->seen.runtime, upstream->call->request.method->service, upstream->seen.status,
                                     transport_slice_bytes(&upstream->details), &upstream->error);
    if (!explained && went_over_budget(upstream)) {
        runtime_hangs(upstream->seen.runtime, upstream->began);
        error_set(&upstream->error, STATUS_UNAVAILABLE, "runtime %s did not answer %s within its budget of %" PRId64 " ms",
                  entry->name, upstream->call->request.method->name, upstream->budget);
    } else if (!explained) {
        if (reads_nothing(upstream)) {
            runtime_hangs(upstream->seen.runtime, upstream->began);
        }
        learn_failure(&upstream->seen, transport_slice_bytes(&upstream->details));
        if (look_further(upstream) || long_list_start(upstream)) {
            return;
        }
    }
    end_without_answer(upstream);
}

void upstream_resume(struct upstream_call *upstream)
{
    upstream->has_ended = true;
    if (upstream->seen.status == GRPC_STATUS_OK) {
        on_answered(upstream);
    } else {
        learn_end(&upstream->seen);
        on_failed(upstream);
    }
}

static void on_ended(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_call *upstream = completion_owner(completion, struct upstream_call, ended);
    upstream->seen.runtime->calls--;
    patience_end(&upstream->seen.runtime->patience, &upstream->waiting);
    upstream_resume(upstream);
}

static gpr_timespec deadline_of(const struct upstream_call *upstream)
{
    gpr_timespec deadline = upstream->call->request.deadline;
    if (upstream->budget == 0) {
        return deadline;
    }
    gpr_timespec own = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(upstream->budget, GPR_TIMESPAN));
    return gpr_time_min(deadline, own);
}

/* What nothing had to be changed in goes on as it came: its bytes are the transport's, and may be needed for longer than the
 * call. */
static grpc_byte_buffer *message_of(const struct call *call, struct bytes request)
{
    if (request.data == call->request.bytes.data && request.len == call->request.bytes.len) {
        return grpc_byte_buffer_copy(call->request.received);
    }
    grpc_slice slice = transport_slice(request, call->request.arena);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return message;
}

static bool receive(struct upstream_call *upstream)
{
    grpc_metadata_array_init(&upstream->initial);
    grpc_metadata_array_init(&upstream->trailing);
    upstream->details = grpc_empty_slice();
    upstream->ended.run = on_ended;
    const grpc_op ops[] = {
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &upstream->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &upstream->message},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &upstream->trailing,
                                        .status = &upstream->seen.status,
                                        .status_details = &upstream->details}},
    };
    return grpc_call_start_batch(upstream->grpc_call, ops, sizeof ops / sizeof ops[0], &upstream->ended, NULL) == GRPC_CALL_OK;
}

static void call_runtime(struct upstream_call *upstream, const char *path, struct bytes request)
{
    struct call *call = upstream->call;
    struct channel *channel = runtime_channel(upstream->seen.runtime, call->request.method->service);
    upstream->grpc_call = channel_call(channel, NULL, grpc_slice_from_static_string(path), deadline_of(upstream));
    upstream->seen.runtime->calls++;
    upstream->taken = channel->taken;
    grpc_byte_buffer *message = message_of(call, request);
    channel_send(channel, upstream->grpc_call, call->request.metadata.metadata, call->request.forwardable,
                 message); /* refused: `ended` tells */
    grpc_byte_buffer_destroy(message);
    if (!receive(upstream)) {
        grpc_call_cancel(upstream->grpc_call, NULL);
        upstream->seen.runtime->calls--;
        error_set(&upstream->error, STATUS_INTERNAL, "the transport refused the call to runtime %s",
                  upstream->seen.runtime->entry->name);
        learn_end(&upstream->seen);
        call_upstream_ended(upstream);
    } else if (upstream->watched) {
        runtime_watch(upstream->seen.runtime, &upstream->waiting);
    }
}

/* Whether the runtime's dialect has the RPC; otherwise the reason is in upstream->error. */
static bool has_method(struct upstream_call *upstream)
{
    const struct runtime *runtime = upstream->seen.runtime;
    const struct method *method = upstream->call->request.method;
    if (method->in[runtime->dialect].path) {
        return true;
    }
    upstream->omitted = observation_is_one_of_several(&upstream->seen) && method->lacking == LACKING_OMIT;
    return error_set(&upstream->error, STATUS_UNIMPLEMENTED, "runtime %s speaks %s, which has no %s", runtime->entry->name,
                     dialects[runtime->dialect].name, method->name);
}

static bool convert(struct upstream_call *upstream, struct bytes *request)
{
    const struct call *call = upstream->call;
    struct name_map names;
    name_map_for_request(&names, call->request.generation->map, upstream->seen.position);
    struct conversion conversion = {
        .method = call->request.method,
        .from = call->request.caller,
        .to = upstream->seen.runtime->dialect,
        .arena = call->request.arena,
        .names = &names.names,
        .node = call->request.node,
        .leniency = &call->request.generation->map->runtimes[upstream->seen.position].translation,
        .caller_lacks_masked_paths = call->request.generation->map->listen.callers_lack_masked_paths,
        .image_name = learn_image_name(&upstream->seen),
    };
    if (!convert_request(&conversion, call->request.bytes, request, &upstream->error)) {
        return false;
    }
    note_losses(upstream, &conversion.report, true);
    return true;
}

void upstream_ask(struct upstream_call *upstream)
{
    learn_request(&upstream->seen);
    call_runtime(upstream, upstream->call->request.method->in[upstream->seen.runtime->dialect].path, upstream->seen.sent);
}

bool upstream_open_stream(struct upstream_call *upstream, const struct method *method, struct upstream_stream *stream,
                          const struct upstream_stream_callbacks *listener, void *state)
{
    const struct call *call = upstream->call;
    struct upstream_stream_request opening = {
        .runtime = upstream->seen.runtime,
        .service = method->service,
        .path = method->in[upstream->seen.runtime->dialect].path,
        .request = transport_slice(upstream->seen.sent, call->request.arena),
        .metadata = call->request.metadata.metadata,
        .metadata_count = call->request.forwardable,
        .deadline = call->request.deadline,
        .budget = call->request.generation->map->runtimes[upstream->seen.position].budget,
        .patient = budget_is_waived(upstream),
    };
    bool started = upstream_stream_start(stream, &opening, listener, state);
    grpc_slice_unref(opening.request);
    upstream->has_ended = !started;
    upstream->stream = started ? stream : NULL;
    return started || error_set(&upstream->error, STATUS_INTERNAL, "the transport refused the stream of runtime %s",
                                upstream->seen.runtime->entry->name);
}

/* Whether the runtime is there for it; otherwise the reason is in upstream->error. */
static bool may_be_asked(struct upstream_call *upstream)
{
    if (runtime_ready(upstream->seen.runtime, &upstream->error)) {
        return true;
    }
    if (!runtime_takes_calls(upstream->seen.runtime, &upstream->error) || !budget_is_waived(upstream)) {
        return false;
    }
    upstream->error = (struct error){0};
    return true;
}

void upstream_start(struct upstream_call *upstream, struct call *call, size_t position)
{
    *upstream = (struct upstream_call){
        .call = call,
        .seen = {.request = &call->request,
                 .knowledge = &call->gateway->knowledge,
                 .runtime = call->request.generation->runtimes[position],
                 .position = position},
        .began = worker_now(),
    };
    if (!open_arena(upstream)) {
        call_upstream_ended(upstream);
        return;
    }
    if (!may_be_asked(upstream)) {
        end_without_answer(upstream);
        return;
    }
    if (call->request.cancelled) {
        error_set(&upstream->error, STATUS_CANCELLED, "the caller is gone");
        call_upstream_ended(upstream);
        return;
    }
    upstream->budget = budget_of(upstream);
    upstream->watched = budget_is_watched(upstream);
    upstream->seen.marks = list_asked_at(&call->gateway->knowledge, upstream->seen.runtime);
    if (!has_method(upstream)) {
        if (!compose_start(upstream, COMPOSE_LACKING)) {
            call_upstream_ended(upstream);
        }
        return;
    }
    if (!convert(upstream, &upstream->seen.sent)) {
        call_upstream_ended(upstream);
        return;
    }
    if (call->request.stream && runtime_serves(upstream->seen.runtime, call->request.stream)) {
        list_stream_open(upstream);
    } else {
        upstream_ask(upstream);
    }
}

void upstream_cancel(struct upstream_call *upstream)
{
    if (upstream->question) {
        query_cut_short(upstream->question);
        return;
    }
    if (upstream->stream && !upstream->has_ended) {
        upstream_stream_cancel(upstream->stream);
        return;
    }
    if (upstream->grpc_call && !upstream->has_ended) {
        grpc_call_cancel(upstream->grpc_call, NULL);
    }
}

struct bytes upstream_details(const struct upstream_call *upstream)
{
    const grpc_slice *details = upstream->stream ? &upstream->stream->details : upstream->grpc_call ? &upstream->details : NULL;
    return details ? transport_slice_bytes(details) : (struct bytes){0};
}

void upstream_release(struct upstream_call *upstream)
{
    list_answer_release(upstream);
    close_arena(upstream);
    if (upstream->stream) {
        upstream_stream_release(upstream->stream);
    }
    if (upstream->grpc_call) {
        grpc_call_unref(upstream->grpc_call);
        grpc_metadata_array_destroy(&upstream->initial);
        grpc_metadata_array_destroy(&upstream->trailing);
        grpc_byte_buffer_destroy(upstream->message);
        grpc_slice_unref(upstream->details);
    }
}
