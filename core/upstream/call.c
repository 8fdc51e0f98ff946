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
#include "core/runtimes/patience.h"
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
static bool open_arena(struct branch *branch)
{
    struct call *call = branch->call;
    branch->arena = branch_is_one_of_several(branch) ? arena_new(call_memory(call) / 2) : call->arena;
    return branch->arena || error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "no memory left for this call");
}

static void close_arena(struct branch *branch)
{
    if (branch->arena && branch->arena != branch->call->arena) {
        gateway_used(branch->call->gateway, arena_used(branch->arena));
        arena_unref(branch->arena);
    }
    branch->arena = NULL;
}

/* What was made of the answer is gone. */
static bool renew_arena(struct branch *branch)
{
    list_answer_release(branch);
    branch->response = (struct bytes){0};
    if (branch->arena != branch->call->arena) {
        close_arena(branch);
        branch->arena = arena_new(call_memory(branch->call) / 2);
    }
    return branch->arena != NULL;
}

bool branch_succeeded(const struct branch *branch)
{
    bool answered = branch->error.code == STATUS_OK && branch->status == GRPC_STATUS_OK;
    return branch->recalled || (answered && !branch->omitted);
}

bool branch_is_one_of_several(const struct branch *branch)
{
    return branch->call->route.count > 1 && branch->position != branch->call->generation->map->primary;
}

static const char *find_stream_base(void *state)
{
    struct runtime *runtime = state;
    return stream_base_find(&runtime->stream_base, runtime->entry->name, runtime->dialect);
}

/* Whether the answer is looked at for what would spoil those of others. The primary's failure fails the call anyway, as it would
   without a gateway; its lists must not have names of other runtimes, for which those of pods and containers are scanned first.
 */
static bool is_merged(const struct branch *branch)
{
    const struct call *call = branch->call;
    if (call->route.count == 1 || branch_is_one_of_several(branch)) {
        return call->route.count > 1;
    }
    return call->method->merge == MERGE_CONCAT && (branch->suspect || !list_answer_is_scanned(branch));
}

void branch_names_of_response(const struct branch *branch, struct name_map *names)
{
    const struct generation *generation = branch->call->generation;
    bool learns = generation->plain_count > 1 && !branch->runtime->replaced;
    struct id_index *index = learns ? branch->call->gateway->index : NULL;
    name_map_for_response(names, generation->map, branch->position, index, branch->runtime->slot,
                          remember_subject(branch->call->method));
    names->beginning = branch->call->beginning;
    name_map_complete_paths(names, find_stream_base, branch->runtime);
    if (!is_merged(branch)) {
        name_map_believe_ids(names);
    }
}

static void note_losses(struct branch *branch, const struct report *report, bool request)
{
    report_add(&branch->report, report);
    runtime_note_losses(branch->runtime, report, request);
}

void branch_note_losses(struct branch *branch, const struct report *report)
{
    note_losses(branch, report, false);
}

/* A package is always read with its newest schema. */
static enum dialect dialect_of_answer(const struct branch *branch)
{
    return dialects[branch->runtime->dialect].caller;
}

void branch_conversion(const struct branch *branch, const struct name_map *names, struct conversion *conversion)
{
    const struct call *call = branch->call;
    *conversion = (struct conversion){
        .method = call->method,
        .from = dialect_of_answer(branch),
        .to = call->caller,
        .arena = branch->arena,
        .names = &names->names,
        .node = node_filesystems_node(call->gateway->filesystems),
        .merged = is_merged(branch),
    };
}

bool branch_convert(struct branch *branch, struct bytes answer, enum dialect from, struct arena *arena, struct bytes *converted)
{
    struct name_map names;
    branch_names_of_response(branch, &names);
    struct conversion conversion;
    branch_conversion(branch, &names, &conversion);
    conversion.from = from;
    conversion.arena = arena;
    if (!convert_response(&conversion, answer, converted, &branch->error)) {
        return error_wrap(&branch->error, "the answer of runtime %s cannot be read", branch->runtime->entry->name);
    }
    note_losses(branch, &conversion.report, false);
    return true;
}

/* Whether it was our own budget that ended the call, rather than the caller's deadline or the runtime. */
static bool went_over_budget(const struct branch *branch)
{
    return branch->budget > 0 && branch->status == GRPC_STATUS_DEADLINE_EXCEEDED &&
           worker_now() - branch->began >= branch->budget * NANOSECONDS_A_MILLISECOND;
}

/* Runtimes that are told of the deadline may be a moment ahead of it. */
#define DEADLINE_SLACK_MS 100

bool branch_was_cut_short(const struct branch *branch)
{
    gpr_timespec deadline = branch->call->details.deadline;
    gpr_timespec soon = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(DEADLINE_SLACK_MS, GPR_TIMESPAN));
    bool too_late = branch->status == GRPC_STATUS_DEADLINE_EXCEEDED && gpr_time_cmp(deadline, soon) <= 0;
    return branch->error.code == STATUS_CANCELLED ||
           (branch->error.code == STATUS_OK &&
            (too_late || (branch->status == GRPC_STATUS_CANCELLED && branch->call->cancelled)));
}

/* A list can be big, and other runtimes may keep the call waiting. */
static void forget_message(struct branch *branch)
{
    grpc_byte_buffer_destroy(branch->message);
    branch->message = NULL;
    branch->received = (struct bytes){0};
    branch->runs = (struct pieces){0};
}

/* What was last seen is told after a closer look, as it is not scanned. */
static void recall(struct branch *branch)
{
    branch->suspect = true;
    recall_answer(branch);
}

/* The runtime could not be asked, or did not answer; what was last seen of it may stand for it. */
static void end_without_answer(struct branch *branch)
{
    recall(branch);
    call_branch_ended(branch);
}

/* A list that the caller waits for goes out before it is looked at for what it says of the runtime. */
static bool remembers_late(const struct branch *branch)
{
    return branch->error.code == STATUS_OK && branch->call->unanswered == 1 && !branch->call->list_stream &&
           remember_wants_list(branch);
}

static void end_and_remember(struct branch *branch)
{
    struct call *call = branch->call;
    call_hold(call);
    call_branch_ended(branch);
    remember_answer(branch);
    forget_message(branch);
    call_drop(call);
}

static void end_with_answer(struct branch *branch)
{
    if (remembers_late(branch)) {
        end_and_remember(branch);
        return;
    }
    if (branch->error.code == STATUS_OK) {
        remember_answer(branch);
    }
    remember_end(branch);
    if (!branch->as_received) {
        forget_message(branch);
    }
    bool exhausted = branch->error.code == STATUS_RESOURCE_EXHAUSTED;
    if (branch->error.code != STATUS_OK && (!exhausted || renew_arena(branch))) {
        recall(branch);
    }
    call_branch_ended(branch);
}

bool branch_receive(struct branch *branch, struct error *error)
{
    if (!branch->is_whole && list_answer_is_too_long(branch)) {
        return runtime_refuse_list(branch->runtime, error);
    }
    if (!branch->is_whole && !transport_bytes(branch->message, branch->arena, &branch->received)) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the answer of runtime %s takes more memory than one call may use",
                         branch->runtime->entry->name);
    }
    branch->is_whole = true;
    branch->runs = pieces_of(&branch->received);
    return true;
}

/* Whether the answer goes to the caller as it came and nobody looks at it on the way: then it need not be in one piece. */
static bool passes_unread(const struct branch *branch)
{
    const struct call *call = branch->call;
    if (call->route.count > 1 || call->list_stream || remember_reads_answer(branch)) {
        return false;
    }
    struct name_map names;
    struct conversion conversion;
    branch_names_of_response(branch, &names);
    branch_conversion(branch, &names, &conversion);
    return convert_passes_response(&conversion);
}

/* Takes the answer in one piece. */
static bool take_whole(struct branch *branch)
{
    struct bytes received;
    if (!branch_receive(branch, &branch->error)) {
        return false;
    }
    received = branch->received;
    bool converted = branch_convert(branch, received, dialect_of_answer(branch), branch->arena, &branch->response);
    branch->as_received = converted && branch->response.data == received.data && branch->response.len == received.len;
    return converted;
}

/* The runtime's own answer is the one. */
static void take_answer(struct branch *branch)
{
    if (passes_unread(branch)) {
        branch->as_received = true;
        remember_end(branch);
        call_branch_ended(branch);
        return;
    }
    (list_answer_suits(branch) ? list_answer_take : take_whole)(branch);
    end_with_answer(branch);
}

static void on_answered(struct branch *branch)
{
    if (!branch->message) {
        error_set(&branch->error, STATUS_INTERNAL, "runtime %s answered without a message", branch->runtime->entry->name);
        end_with_answer(branch);
    } else if (transport_is_compressed(branch->message)) {
        runtime_refuse_compression(branch->runtime, &branch->error);
        end_with_answer(branch);
    } else if (!compose_start(branch, COMPOSE_ANSWERED)) {
        take_answer(branch);
    }
}

/* An answer was put together in place of the runtime's own, which is remembered all the same. */
static void take_composed(struct branch *branch, const struct branch_composed *composed)
{
    branch->error = (struct error){0};
    branch->status = GRPC_STATUS_OK;
    branch->omitted = false;
    branch->suspect = true;
    branch_convert(branch, composed->answer, DIALECT_MODEL, branch->arena, &branch->response);
    if (composed->occasion == COMPOSE_ANSWERED) {
        if (branch->error.code == STATUS_OK) {
            branch_receive(branch, &branch->error);
        }
        end_with_answer(branch);
    } else {
        branch->trailing.count = 0; /* it may repeat the failure */
        call_branch_ended(branch);
    }
}

void branch_composed(struct branch *branch, const struct branch_composed *composed)
{
    if (composed->outcome == COMPOSED_ANSWER) {
        take_composed(branch, composed);
        return;
    }
    if (composed->occasion == COMPOSE_ANSWERED) {
        take_answer(branch);
        return;
    }
    if (composed->error.code != STATUS_OK) {
        branch->error = composed->error;
    }
    end_without_answer(branch);
}

/* A code that callers can act on, and perhaps more than the runtime's failure. */
static bool look_further(struct branch *branch)
{
    if (compose_is_lacking((enum status_code)branch->status, transport_slice_bytes(&branch->details))) {
        if (branch->status != GRPC_STATUS_UNIMPLEMENTED) {
            branch->status = GRPC_STATUS_UNIMPLEMENTED;
            branch->trailing.count = 0; /* it may repeat the other code */
        }
        return compose_start(branch, COMPOSE_LACKING);
    }
    return branch->status == GRPC_STATUS_UNKNOWN && compose_start(branch, COMPOSE_UNKNOWN);
}

/* Whether the runtime has not even read what it is sent, for as long as its budget: whatever the call is, lists need not wait to
   find out. */
static bool reads_nothing(const struct branch *branch)
{
    const struct upstream *upstream = runtime_upstream(branch->runtime, branch->call->method->service);
    int64_t budget = branch->runtime->entry->budget * NANOSECONDS_A_MILLISECOND;
    return branch->status == GRPC_STATUS_DEADLINE_EXCEEDED && upstream->unsent > 0 && upstream->taken == branch->taken &&
           worker_now() - branch->began >= budget;
}

static void on_failed(struct branch *branch)
{
    const struct runtime_entry *entry = branch->runtime->entry;
    bool explained = runtime_explain(branch->runtime, branch->call->method->service, branch->status,
                                     transport_slice_bytes(&branch->details), &branch->error);
    if (!explained && went_over_budget(branch)) {
        runtime_hangs(branch->runtime, branch->began);
        error_set(&branch->error, STATUS_UNAVAILABLE, "runtime %s did not answer %s within its budget of %" PRId64 " ms",
                  entry->name, branch->call->method->name, branch->budget);
    } else if (!explained) {
        if (reads_nothing(branch)) {
            runtime_hangs(branch->runtime, branch->began);
        }
        remember_failure(branch);
        if (look_further(branch) || long_list_start(branch)) {
            return;
        }
    }
    end_without_answer(branch);
}

void branch_resume(struct branch *branch)
{
    branch->has_ended = true;
    if (branch->status == GRPC_STATUS_OK) {
        on_answered(branch);
    } else {
        remember_end(branch);
        on_failed(branch);
    }
}

static void on_ended(struct event *event, bool ok)
{
    (void)ok;
    struct branch *branch = event_owner(event, struct branch, ended);
    branch->runtime->calls--;
    patience_end(branch->runtime, &branch->waiting);
    branch_resume(branch);
}

static gpr_timespec deadline_of(const struct branch *branch)
{
    gpr_timespec deadline = branch->call->details.deadline;
    if (branch->budget == 0) {
        return deadline;
    }
    gpr_timespec own = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(branch->budget, GPR_TIMESPAN));
    return gpr_time_min(deadline, own);
}

/* What nothing had to be changed in goes on as it came: its bytes are the transport's, and may be needed for longer than the
 * call. */
static grpc_byte_buffer *message_of(const struct call *call, struct bytes request)
{
    if (request.data == call->request.data && request.len == call->request.len) {
        return grpc_byte_buffer_copy(call->received);
    }
    grpc_slice slice = transport_slice(request, call->arena);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return message;
}

static bool receive(struct branch *branch)
{
    grpc_metadata_array_init(&branch->initial);
    grpc_metadata_array_init(&branch->trailing);
    branch->details = grpc_empty_slice();
    branch->ended.run = on_ended;
    const grpc_op ops[] = {
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &branch->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &branch->message},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &branch->trailing,
                                        .status = &branch->status,
                                        .status_details = &branch->details}},
    };
    return grpc_call_start_batch(branch->upstream, ops, sizeof ops / sizeof ops[0], &branch->ended, NULL) == GRPC_CALL_OK;
}

static void call_runtime(struct branch *branch, const char *path, struct bytes request)
{
    struct call *call = branch->call;
    struct upstream *upstream = runtime_upstream(branch->runtime, call->method->service);
    branch->upstream = upstream_call(upstream, NULL, grpc_slice_from_static_string(path), deadline_of(branch));
    branch->runtime->calls++;
    branch->taken = upstream->taken;
    grpc_byte_buffer *message = message_of(call, request);
    upstream_send(upstream, branch->upstream, call->metadata.metadata, call->forwardable, message); /* refused: `ended` tells */
    grpc_byte_buffer_destroy(message);
    if (!receive(branch)) {
        grpc_call_cancel(branch->upstream, NULL);
        branch->runtime->calls--;
        error_set(&branch->error, STATUS_INTERNAL, "the transport refused the call to runtime %s", branch->runtime->entry->name);
        remember_end(branch);
        call_branch_ended(branch);
    } else if (branch->watched) {
        patience_begin(branch->runtime, &branch->waiting);
    }
}

/* Whether the runtime's dialect has the RPC; otherwise the reason is in branch->error. */
static bool has_method(struct branch *branch)
{
    const struct runtime *runtime = branch->runtime;
    const struct method *method = branch->call->method;
    if (method->in[runtime->dialect].path) {
        return true;
    }
    branch->omitted = branch_is_one_of_several(branch) && method->lacking == LACKING_OMIT;
    return error_set(&branch->error, STATUS_UNIMPLEMENTED, "runtime %s speaks %s, which has no %s", runtime->entry->name,
                     dialects[runtime->dialect].name, method->name);
}

static bool convert(struct branch *branch, struct bytes *request)
{
    const struct call *call = branch->call;
    struct name_map names;
    name_map_for_request(&names, call->generation->map, branch->position);
    struct conversion conversion = {
        .method = call->method,
        .from = call->caller,
        .to = branch->runtime->dialect,
        .arena = call->arena,
        .names = &names.names,
        .node = node_filesystems_node(call->gateway->filesystems),
        .leniency = &call->generation->map->runtimes[branch->position].translation,
        .caller_lacks_masked_paths = call->generation->map->listen.callers_lack_masked_paths,
        .image_name = remember_image_name(branch),
    };
    if (!convert_request(&conversion, call->request, request, &branch->error)) {
        return false;
    }
    note_losses(branch, &conversion.report, true);
    return true;
}

void branch_ask(struct branch *branch)
{
    remember_request(branch);
    call_runtime(branch, branch->call->method->in[branch->runtime->dialect].path, branch->request);
}

bool branch_open_stream(struct branch *branch, const struct method *method, struct inflow *inflow,
                        const struct inflow_listener *listener, void *state)
{
    const struct call *call = branch->call;
    struct inflow_call opening = {
        .runtime = branch->runtime,
        .service = method->service,
        .path = method->in[branch->runtime->dialect].path,
        .request = transport_slice(branch->request, call->arena),
        .metadata = call->metadata.metadata,
        .metadata_count = call->forwardable,
        .deadline = call->details.deadline,
        .budget = call->generation->map->runtimes[branch->position].budget,
        .patient = budget_is_waived(branch),
    };
    bool started = inflow_start(inflow, &opening, listener, state);
    grpc_slice_unref(opening.request);
    branch->has_ended = !started;
    branch->inflow = started ? inflow : NULL;
    return started || error_set(&branch->error, STATUS_INTERNAL, "the transport refused the stream of runtime %s",
                                branch->runtime->entry->name);
}

/* Whether the runtime is there for it; otherwise the reason is in branch->error. */
static bool may_be_asked(struct branch *branch)
{
    if (runtime_ready(branch->runtime, &branch->error)) {
        return true;
    }
    if (!runtime_takes_calls(branch->runtime, &branch->error) || !budget_is_waived(branch)) {
        return false;
    }
    branch->error = (struct error){0};
    return true;
}

void branch_start(struct branch *branch, struct call *call, size_t position)
{
    *branch = (struct branch){
        .call = call, .position = position, .runtime = call->generation->runtimes[position], .began = worker_now()};
    if (!open_arena(branch)) {
        call_branch_ended(branch);
        return;
    }
    if (!may_be_asked(branch)) {
        end_without_answer(branch);
        return;
    }
    if (call->cancelled) {
        error_set(&branch->error, STATUS_CANCELLED, "the caller is gone");
        call_branch_ended(branch);
        return;
    }
    branch->budget = budget_of(branch);
    branch->watched = budget_is_watched(branch);
    branch->marks = remember_marks(call->gateway, branch->runtime);
    if (!has_method(branch)) {
        if (!compose_start(branch, COMPOSE_LACKING)) {
            call_branch_ended(branch);
        }
        return;
    }
    if (!convert(branch, &branch->request)) {
        call_branch_ended(branch);
        return;
    }
    if (call->list_stream && runtime_serves(branch->runtime, call->stream)) {
        list_stream_open(branch);
    } else {
        branch_ask(branch);
    }
}

void branch_cancel(struct branch *branch)
{
    if (branch->question) {
        inquiry_cut_short(branch->question);
        return;
    }
    if (branch->inflow && !branch->has_ended) {
        inflow_cancel(branch->inflow);
        return;
    }
    if (branch->upstream && !branch->has_ended) {
        grpc_call_cancel(branch->upstream, NULL);
    }
}

struct bytes branch_details(const struct branch *branch)
{
    const grpc_slice *details = branch->inflow ? &branch->inflow->details : branch->upstream ? &branch->details : NULL;
    return details ? transport_slice_bytes(details) : (struct bytes){0};
}

void branch_release(struct branch *branch)
{
    list_answer_release(branch);
    close_arena(branch);
    if (branch->inflow) {
        inflow_release(branch->inflow);
    }
    if (branch->upstream) {
        grpc_call_unref(branch->upstream);
        grpc_metadata_array_destroy(&branch->initial);
        grpc_metadata_array_destroy(&branch->trailing);
        grpc_byte_buffer_destroy(branch->message);
        grpc_slice_unref(branch->details);
    }
}
