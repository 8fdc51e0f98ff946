#include "run.h"

#include <grpc/support/time.h>
#include <inttypes.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/knowledge/learn.h"
#include "core/knowledge/stale_answer.h"
#include "core/runtimes/failure.h"
#include "core/runtimes/name_map.h"
#include "core/transport/c_core.h"
#include "core/upstream/budget.h"
#include "core/upstream/compose_run.h"
#include "core/upstream/hook_run.h"
#include "core/upstream/list_answer.h"
#include "core/upstream/long_list.h"
#include "core/upstream/share.h"
#include "core/upstream/share_composition.h"
#include "core/upstream/wait.h"
#include "translate/bytes/wire.h"

/* The image in ImageStatusResponse, in all dialects. */
#define IMAGE_FIELD 1

static void report_end(struct upstream_call *upstream)
{
    upstream->owner->callbacks->ended(upstream->owner->state, upstream);
}

/* ---- the end ---- */

/* Frees the message early: a list can be big, and the call may wait for other runtimes. */
static void forget_message(struct upstream_call *upstream)
{
    grpc_byte_buffer_destroy(upstream->exchange.message);
    upstream->exchange.message = NULL;
    upstream->seen.received = (struct bytes){0};
    upstream->seen.runs = (struct pieces){0};
}

/* Converts each piece from the dialect that the runtime spoke then. Names in them are checked, because they are not scanned.
   false: they cannot be converted. */
static bool take_pieces(struct upstream_call *upstream, const struct last_known_list *list)
{
    struct bytes parts[DIALECT_COUNT];
    struct error failure = upstream->error;
    size_t count = 0;
    upstream->error = (struct error){0};
    upstream->suspect = true;
    upstream_forget_answer(upstream);
    while (count < list->count &&
           upstream_convert(upstream, list->pieces[count].response, dialects[list->pieces[count].dialect].caller, upstream->arena,
                            &parts[count])) {
        count++;
    }
    if (upstream->error.code != STATUS_OK) {
        learn_log_failure(upstream->seen.runtime, &upstream->error);
    }
    upstream->error = failure;
    if (count < list->count) {
        return false;
    }
    upstream->response = arena_join(upstream->arena, parts, count);
    return upstream->response.data || upstream->response.len == 0;
}

/* A runtime that stops answering leaves as many callers as wait for it: they share one list, where it is the same. */
static bool take_known(struct upstream_call *upstream)
{
    bool shared = learn_wants_list(&upstream->seen);
    if (shared && list_answer_repeat_known(upstream)) {
        return true;
    }
    struct last_known_list pieces;
    struct report before = upstream->report;
    upstream->report = (struct report){0};
    bool taken = stale_answer_read(&upstream->seen, upstream->arena, &pieces) && take_pieces(upstream, &pieces);
    struct report losses = upstream->report;
    upstream->report = before;
    report_add(&upstream->report, &losses);
    return taken && (!shared || list_answer_keep_known(upstream, &losses));
}

/* Whether there is memory for an answer; otherwise RESOURCE_EXHAUSTED is in upstream->error. */
static bool has_memory(struct upstream_call *upstream)
{
    upstream->given_up = !upstream->owner->callbacks->has_memory(upstream->owner->state, &upstream->error);
    return !upstream->given_up;
}

static void stand_in_now(struct upstream_call *upstream)
{
    enum stale_answer found = stale_answer_find(&upstream->seen, &upstream->error);
    if (found == STALE_FOUND && !has_memory(upstream)) {
        found = STALE_NONE;
    } else if (found == STALE_FOUND && !take_known(upstream)) {
        found = stale_answer_none(&upstream->seen, &upstream->error);
    }
    upstream->stale = found == STALE_FOUND;
    upstream->omitted = upstream->omitted || found == STALE_OMIT;
    report_end(upstream);
}

void upstream_stand_in(struct upstream_call *upstream)
{
    struct error error = upstream->error;
    if (stale_answer_find(&upstream->seen, &error) == STALE_FOUND) {
        wait_turn(upstream, stand_in_now);
    } else {
        stand_in_now(upstream);
    }
}

/* A list that the caller waits for is sent before it is learned from. */
static bool learns_late(const struct upstream_call *upstream)
{
    return upstream->error.code == STATUS_OK && upstream->owner->callbacks->is_last(upstream->owner->state) &&
           !upstream->seen.request->stream && learn_wants_list(&upstream->seen);
}

static void learn(struct upstream_call *upstream)
{
    upstream->seen.message = upstream->exchange.message;
    learn_answer(&upstream->seen, upstream->response);
    upstream->seen.message = NULL;
}

void upstream_after_reply(struct upstream_call *upstream)
{
    if (upstream->learns_late) {
        upstream->learns_late = false;
        learn(upstream);
        forget_message(upstream);
    }
    hook_run_end(upstream);
}

static void end_with_answer(struct upstream_call *upstream)
{
    upstream->learns_late = learns_late(upstream);
    if (upstream->learns_late) {
        report_end(upstream);
        return;
    }
    if (upstream->error.code == STATUS_OK) {
        learn(upstream);
        hook_run_answered(upstream);
    }
    learn_end(&upstream->seen);
    if (upstream->form != ANSWER_AS_RECEIVED) {
        forget_message(upstream);
    }
    bool exhausted = upstream->error.code == STATUS_RESOURCE_EXHAUSTED;
    if (upstream->error.code != STATUS_OK && (!exhausted || upstream_renew_arena(upstream))) {
        upstream_stand_in(upstream);
    } else {
        report_end(upstream);
    }
}

/* ---- the answer ---- */

/* Whether the answer goes to the caller unchanged and unread: then it need not be put into one piece. */
static bool passes_unread(const struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    if (request->several || request->stream || upstream->hooks || learn_reads_answer(&upstream->seen)) {
        return false;
    }
    struct name_map names;
    struct conversion conversion;
    upstream_conversion(upstream, &names, &conversion);
    return convert_passes_response(&conversion);
}

/* Takes the answer in one piece. */
static bool take_whole(struct upstream_call *upstream)
{
    if (!upstream_receive(upstream, &upstream->error)) {
        return false;
    }
    struct bytes received = upstream->seen.received;
    bool converted = upstream_convert(upstream, received, runtime_answer_dialect(upstream->seen.runtime), upstream->arena,
                                      &upstream->response);
    if (converted && upstream->response.data == received.data && upstream->response.len == received.len) {
        upstream->form = ANSWER_AS_RECEIVED;
    }
    return converted;
}

/* The runtime's own answer is the one for the caller. */
static void take_answer(struct upstream_call *upstream)
{
    if (passes_unread(upstream)) {
        upstream->form = ANSWER_AS_RECEIVED;
        learn_end(&upstream->seen);
        report_end(upstream);
        return;
    }
    (list_answer_suits(upstream) ? list_answer_take : take_whole)(upstream);
    end_with_answer(upstream);
}

/* An answer was composed in place of the runtime's own, which is learned from anyway. */
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
        upstream->exchange.trailing.count = 0; /* it may repeat the failure */
        report_end(upstream);
    }
}

static void on_composed(struct upstream_call *upstream, const struct compose_result *composed)
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
    upstream_stand_in(upstream);
}

/* Whether the runtime was asked in place of its image service. */
static bool stands_in(const struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    return upstream->seen.runtime != generation_peer(request->generation, upstream->seen.position, request->method);
}

/* It does not know: the failure is that of its image service. */
static void fail_as_peer(struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    const struct runtime *peer = generation_peer(request->generation, upstream->seen.position, request->method);
    upstream->exchange.trailing.count = 0;
    if (runtime_ready(peer, &upstream->error)) {
        error_set(&upstream->error, STATUS_UNAVAILABLE, "runtime %s was unavailable; retry", peer->entry->name);
    }
}

/* Whether the answer has no image, which its image service might have. */
static bool knows_no_image(struct upstream_call *upstream)
{
    struct bytes answer;
    return stands_in(upstream) && (!transport_bytes(upstream->exchange.message, upstream->arena, &answer) ||
                                   wire_last_payload(answer, IMAGE_FIELD).len == 0);
}

static void on_answered(struct upstream_call *upstream)
{
    if (upstream->exchange.message && knows_no_image(upstream)) {
        learn_end(&upstream->seen);
        forget_message(upstream);
        fail_as_peer(upstream);
        report_end(upstream);
    } else if (!upstream->exchange.message) {
        error_set(&upstream->error, STATUS_INTERNAL, "runtime %s answered without a message",
                  upstream->seen.runtime->entry->name);
        end_with_answer(upstream);
    } else if (!has_memory(upstream)) {
        learn_end(&upstream->seen);
        forget_message(upstream);
        report_end(upstream);
    } else if (transport_is_compressed(upstream->exchange.call)) {
        runtime_refuse_compression(upstream->seen.runtime, &upstream->error);
        end_with_answer(upstream);
    } else if (!compose_start(upstream, COMPOSE_ANSWERED, on_composed)) {
        take_answer(upstream);
    }
}

/* ---- a failure ---- */

/* Whether it was our own budget that ended the call, rather than the caller's deadline or the runtime. */
static bool went_over_budget(const struct upstream_call *upstream)
{
    return upstream->budget > 0 && upstream->seen.status == GRPC_STATUS_DEADLINE_EXCEEDED &&
           clock_ns() - upstream->began >= upstream->budget * NANOSECONDS_A_MILLISECOND;
}

/* Sets a code that callers can act on, and begins to compose an answer if there is a function for that. */
static bool look_further(struct upstream_call *upstream)
{
    if (runtime_status_means_lacking((enum status_code)upstream->seen.status, upstream_details(upstream))) {
        if (upstream->seen.status != GRPC_STATUS_UNIMPLEMENTED) {
            upstream->seen.status = GRPC_STATUS_UNIMPLEMENTED;
            upstream->exchange.trailing.count = 0; /* it may repeat the other code */
        }
        return share_composition(upstream, on_composed);
    }
    return upstream->seen.status == GRPC_STATUS_UNKNOWN && compose_start(upstream, COMPOSE_UNKNOWN, on_composed);
}

/* Whether the runtime has not even read requests for as long as its budget. Then it hangs, whatever the call was: no list has to
   wait to find out. A caller that gives up ends the call as often as the deadline does: it has the same one, and its word of it
   may arrive first. */
static bool reads_nothing(const struct upstream_call *upstream)
{
    const struct channel *channel = &upstream->seen.runtime->connection.channel;
    int64_t budget = upstream->seen.runtime->entry->budget * NANOSECONDS_A_MILLISECOND;
    bool given_up = upstream->seen.status == GRPC_STATUS_DEADLINE_EXCEEDED || upstream->seen.status == GRPC_STATUS_CANCELLED;
    return given_up && channel->unsent > 0 && channel->taken == upstream->taken && clock_ns() - upstream->began >= budget;
}

static void resume(struct upstream_call *upstream);

static void on_failed(struct upstream_call *upstream)
{
    const struct runtime_entry *entry = upstream->seen.runtime->entry;
    bool explained = runtime_explain(upstream->seen.runtime, upstream->seen.status, upstream_details(upstream), &upstream->error);
    if (!explained && went_over_budget(upstream)) {
        runtime_hangs(upstream->seen.runtime, upstream->began, upstream->seen.request->method->name);
        error_set(&upstream->error, STATUS_UNAVAILABLE, "runtime %s did not answer %s within its budget of %" PRId64 " ms",
                  entry->name, upstream->seen.request->method->name, upstream->budget);
    } else if (!explained) {
        if (reads_nothing(upstream)) {
            runtime_hangs(upstream->seen.runtime, upstream->began, upstream->seen.request->method->name);
        }
        learn_failure(&upstream->seen, upstream_details(upstream));
        if (!stands_in(upstream) && (look_further(upstream) || long_list_start(upstream, resume))) {
            return;
        }
    }
    if (stands_in(upstream)) {
        fail_as_peer(upstream);
    }
    upstream_stand_in(upstream);
}

/* The call has ended, with the status and message that it has. */
static void resume(struct upstream_call *upstream)
{
    if (upstream->seen.status == GRPC_STATUS_OK) {
        on_answered(upstream);
    } else {
        learn_end(&upstream->seen);
        on_failed(upstream);
    }
}

/* ---- the call ---- */

/* Whether the runtime's dialect has the RPC; otherwise the reason is in upstream->error. */
static bool has_method(struct upstream_call *upstream)
{
    const struct runtime *runtime = upstream->seen.runtime;
    const struct method *method = upstream->seen.request->method;
    if (method->in[runtime->dialect].path) {
        return true;
    }
    upstream->omitted = observation_is_one_of_several(&upstream->seen) && method->lacking == LACKING_OMIT;
    return error_set(&upstream->error, STATUS_UNIMPLEMENTED, "runtime %s speaks %s, which has no %s", runtime->entry->name,
                     dialects[runtime->dialect].name, method->name);
}

/* Whether the caller is a kubelet of a release that cannot tell which paths are to be masked. */
static enum caller_age age_of_caller(const struct request *request)
{
    if (request->socket->callers) {
        return request->socket->callers_lack_masked_paths ? CALLER_AGE_UP_TO_1_12 : CALLER_AGE_LATER;
    }
    return request->method->remember == REMEMBER_CONTAINER_CREATED ? request_caller_age(request) : CALLER_AGE_LATER;
}

static void log_unmasked(struct runtime *runtime)
{
    if (!runtime->unmasked_logged) {
        runtime->unmasked_logged = true;
        log_line(LOG_SERIOUS,
                 "runtime %s: a container sees all of /proc and /sys, as its caller requested, or as a kubelet 1.10 or 1.11 "
                 "always requests; for such a kubelet, set callers under listen in the runtime map",
                 runtime->entry->name);
    }
}

static bool convert(struct upstream_call *upstream, const struct hook_adjustment *adjustment, struct bytes *configurations,
                    struct error *error)
{
    const struct request *request = upstream->seen.request;
    struct name_map names;
    name_map_for_request(&names, request->generation->map, upstream->seen.position);
    if (runtime_knows_bare_image_ids(upstream->seen.runtime)) {
        name_map_write_bare_image_ids(&names);
    }
    enum caller_age age = age_of_caller(request);
    bool unmasked = false;
    struct conversion conversion = {
        .method = request->method,
        .from = request->caller,
        .to = upstream->seen.runtime->dialect,
        .arena = request->arena,
        .names = &names.names,
        .node = request->node,
        .leniency = &request->generation->map->runtimes[upstream->seen.position].translation,
        .abilities = &upstream->seen.runtime->abilities.set,
        .caller_lacks_masked_paths = age == CALLER_AGE_UP_TO_1_12,
        .unmasked = age == CALLER_AGE_UNKNOWN ? &unmasked : NULL,
        .image_name = learn_image_name(&upstream->seen),
        .wants_requested_image = request->method->remember == REMEMBER_CONTAINER_CREATED &&
                                 request->caller == upstream->seen.runtime->dialect && learn_wants_image_name(&upstream->seen),
        .adjustment = adjustment,
        .configurations = configurations,
    };
    struct bytes sent;
    if (!convert_request(&conversion, request->bytes, &sent, error)) {
        runtime_note_refusal(upstream->seen.runtime, &conversion.report);
        return false;
    }
    if (unmasked) {
        log_unmasked(upstream->seen.runtime);
    }
    upstream->seen.sent = sent;
    upstream->report = conversion.report;
    upstream->dialect = conversion.to;
    upstream->judged_by = conversion.abilities->entries;
    return true;
}

/* Whether the runtime can be called; otherwise the reason is in upstream->error. */
static bool may_be_asked(struct upstream_call *upstream)
{
    if (runtime_ready(upstream->seen.runtime, &upstream->error)) {
        return true;
    }
    if (!runtime_takes_calls(upstream->seen.runtime, &upstream->error) || !budget_is_waived(&upstream->seen)) {
        return false;
    }
    upstream->error = (struct error){0};
    return true;
}

/* Plugins, and calls that others wait for, may take their time. The runtime may be gone, or be a different version by now: the
 * request is not in its dialect then. */
static bool may_still_be_asked(struct upstream_call *upstream)
{
    const struct runtime *runtime = upstream->seen.runtime;
    if (!may_be_asked(upstream)) {
        return false;
    }
    if (runtime->dialect != upstream->dialect) {
        return error_set(&upstream->error, STATUS_UNAVAILABLE,
                         "runtime %s speaks %s now, but spoke %s when the call arrived; retry", runtime->entry->name,
                         dialects[runtime->dialect].name, dialects[upstream->dialect].name);
    }
    bool knew_all = (runtime->abilities.set.entries & ~upstream->judged_by) == 0;
    return knew_all || error_set(&upstream->error, STATUS_UNAVAILABLE,
                                 "runtime %s changed its version after the call arrived; retry", runtime->entry->name);
}

static void on_refused(struct upstream_call *upstream)
{
    learn_end(&upstream->seen);
    report_end(upstream);
}

static bool may_ask_after_waiting(struct upstream_call *upstream)
{
    if (may_still_be_asked(upstream)) {
        return true;
    }
    learn_end(&upstream->seen);
    upstream_stand_in(upstream);
    return false;
}

void upstream_ask(struct upstream_call *upstream)
{
    static const struct share_callbacks callbacks = {.answered = resume, .refused = on_refused, .may_ask = may_ask_after_waiting};
    learn_request(&upstream->seen);
    share_ask(upstream, &callbacks);
}

/* The request is as the runtime gets it. */
static void send(struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    const struct upstream_owner *owner = upstream->owner;
    runtime_note_losses(upstream->seen.runtime, &upstream->report, true);
    if (upstream->hooks) {
        upstream->began = clock_ns(); /* plugins' time is not the runtime's */
    }
    if (request->stream && runtime_serves(upstream->seen.runtime, request->stream)) {
        owner->callbacks->stream(owner->state, upstream);
    } else {
        upstream_ask(upstream);
    }
}

static void on_hooks_ended(struct upstream_call *upstream)
{
    upstream->began = clock_ns();
    if (upstream->error.code != STATUS_OK || !may_still_be_asked(upstream)) {
        report_end(upstream);
    } else {
        send(upstream);
    }
}

/* While only the image service of a runtime is away, the runtime itself may know an image that is there: pods of it start. */
static struct runtime *peer_to_ask(const struct request *request, size_t position)
{
    struct runtime *runtime = request->generation->runtimes[position];
    struct runtime *peer = runtime_serving(runtime, request->method->service);
    bool stands_in = request->method->away == AWAY_RUNTIME && peer->state != RUNTIME_READY && runtime->state == RUNTIME_READY;
    return stands_in ? runtime : peer;
}

void upstream_start(struct upstream_call *upstream, const struct upstream_owner *owner, size_t position)
{
    const struct request *request = owner->request;
    *upstream = (struct upstream_call){
        .owner = owner,
        .seen = {.request = request,
                 .knowledge = owner->knowledge,
                 .runtime = peer_to_ask(request, position),
                 .position = position},
        .began = clock_ns(),
    };
    if (!upstream_renew_arena(upstream)) {
        report_end(upstream);
        return;
    }
    if (!may_be_asked(upstream)) {
        upstream_stand_in(upstream);
        return;
    }
    if (request->cancelled) {
        error_set(&upstream->error, STATUS_CANCELLED, "the caller is gone");
        report_end(upstream);
        return;
    }
    upstream->budget = budget_of(&upstream->seen);
    upstream->watched = budget_is_watched(&upstream->seen);
    upstream->seen.marks = list_asked_at(owner->knowledge, upstream->seen.runtime);
    if (!has_method(upstream)) {
        if (!share_composition(upstream, on_composed)) {
            report_end(upstream);
        }
        return;
    }
    bool hooked = hook_run_concerns(upstream);
    struct bytes configurations[MODEL_KIND_COUNT] = {0};
    if (!convert(upstream, NULL, hooked ? configurations : NULL, &upstream->error)) {
        report_end(upstream);
    } else if (hooked) {
        hook_run_start(upstream, configurations, convert, on_hooks_ended);
    } else {
        send(upstream);
    }
}
