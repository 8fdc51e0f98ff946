#include "call.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/calls/connection_share.h"
#include "core/calls/downstream_stream.h"
#include "core/calls/find_owner.h"
#include "core/calls/forward.h"
#include "core/calls/list_stream.h"
#include "core/calls/log.h"
#include "core/calls/memory_limit.h"
#include "core/calls/merge.h"
#include "core/memory/learn.h"
#include "core/transport/c_core.h"
#include "core/transport/loop_mark.h"
#include "core/upstream/run.h"

struct arena *call_new_arena(const struct call *call)
{
    return arena_new(request_memory(&call->request));
}

/* So many calls are small one by one, but together they take much memory. */
#define MANY_CALLS 256

static void count_up(struct call_server *server)
{
    if (++server->calls == MANY_CALLS + 1) {
        memory_trim_repeat(&server->trim, true);
    }
}

static void count_down(struct call_server *server)
{
    if (--server->calls == MANY_CALLS) {
        memory_trim_repeat(&server->trim, false);
    }
    server->callbacks.ended(server->callbacks.state);
}

static void release(struct call *call)
{
    struct call_server *server = call->server_call ? call->server : NULL;
    size_t used = call->request.arena ? arena_used(call->request.arena) : 0;
    for (size_t i = 0; call->upstream_calls && i < call->route.count; i++) {
        used += upstream_release(&call->upstream_calls[i]);
    }
    if (call->server_call) {
        connection_share_return(call);
        grpc_call_unref(call->server_call);
        *call->back = call->next;
        if (call->next) {
            call->next->back = call->back;
        }
    }
    generation_unref(call->request.generation);
    grpc_byte_buffer_destroy(call->request.received);
    grpc_metadata_array_destroy(&call->request.metadata);
    grpc_call_details_destroy(&call->details);
    arena_unref(call->request.arena);
    free(call);
    if (server) {
        memory_trim_used(&server->trim, used);
        count_down(server);
    }
}

void call_hold(struct call *call)
{
    call->holds++;
}

void call_drop(struct call *call)
{
    if (--call->holds == 0) {
        release(call);
    }
}

bool call_start_batch(struct call *call, const grpc_op *ops, size_t count, struct completion *completion)
{
    if (grpc_call_start_batch(call->server_call, ops, count, completion, NULL) != GRPC_CALL_OK) {
        return false;
    }
    call_hold(call);
    return true;
}

/* ---- replying ---- */

static void on_replied(struct completion *completion, bool ok)
{
    (void)ok;
    call_drop(completion_owner(completion, struct call, replied));
}

void call_reply(struct call *call, const struct reply *reply)
{
    grpc_slice details = reply->details;
    grpc_op ops[3] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .data.send_initial_metadata = {.count = reply->initial_count, .metadata = reply->initial}},
        {.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
         .data.send_status_from_server = {.trailing_metadata_count = reply->trailing_count,
                                          .trailing_metadata = reply->trailing,
                                          .status = reply->code,
                                          .status_details = &details}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = reply->message},
    };
    memory_limit_replying(call, reply->message ? grpc_byte_buffer_length(reply->message) : 1);
    call->state = CALL_REPLYING;
    call->replied.run = on_replied;
    if (!call_start_batch(call, ops, reply->message ? 3 : 2, &call->replied)) {
        log_line(LOG_SERIOUS, "the transport refused a reply; the call is cancelled");
        grpc_call_cancel(call->server_call, NULL);
    }
}

void call_fail(struct call *call, const struct error *error)
{
    char text[ERROR_MESSAGE_SIZE + 16];
    snprintf(text, sizeof text, "crigate: %s", error->message);
    grpc_slice details = grpc_slice_from_copied_string(text);
    struct reply reply = {.code = (grpc_status_code)error->code, .details = details};
    call_log_reply(call, error->code, bytes_of_string(text), NULL);
    call_reply(call, &reply);
    grpc_slice_unref(details);
}

static void fail(struct call *call, enum status_code code, const char *text)
{
    struct error error;
    error_set(&error, code, "%s", text);
    call_fail(call, &error);
}

/* ---- asking runtimes ---- */

void call_part_ended(struct call *call)
{
    if (--call->unanswered == 0) {
        (call->list_stream ? list_stream_end : answer_call)(call);
        for (size_t i = 0; i < call->route.count; i++) {
            upstream_learn(&call->upstream_calls[i]);
        }
        call_drop(call); /* the hold of ask() */
    }
}

static void on_upstream_ended(void *state, struct upstream_call *upstream)
{
    struct call *call = state;
    if (call->list_stream) {
        list_stream_take(call, upstream);
    } else {
        call_part_ended(call);
    }
}

static bool is_last_upstream(void *state)
{
    const struct call *call = state;
    return call->unanswered == 1;
}

static void on_upstream_streams(void *state, struct upstream_call *upstream)
{
    list_stream_open(state, upstream);
}

static void ask(struct call *call)
{
    static const struct upstream_callbacks callbacks = {
        .ended = on_upstream_ended, .is_last = is_last_upstream, .stream = on_upstream_streams};
    call->state = CALL_ASKING;
    call->upstream_calls = arena_zalloc(call->request.arena, call->route.count * sizeof *call->upstream_calls);
    if (!call->upstream_calls) {
        fail(call, STATUS_RESOURCE_EXHAUSTED, "no memory left for this call");
        return;
    }
    struct error error = {0};
    call->request.several = call->route.count > 1;
    if (call->request.stream && !list_stream_start(call, &error)) {
        call->route.count = 0; /* no upstream call was begun */
        call_fail(call, &error);
        return;
    }
    call_hold(call);
    call->upstream_owner = (struct upstream_owner){
        .request = &call->request, .knowledge = call->server->knowledge, .callbacks = &callbacks, .state = call};
    /* One more than there are, so that the call cannot end while upstream calls are being started. */
    call->unanswered = call->route.count + 1;
    for (size_t i = 0; i < call->route.count; i++) {
        upstream_start(&call->upstream_calls[i], &call->upstream_owner, call->route.targets[i]);
    }
    call_part_ended(call);
}

/* Whether a runtime has not shown yet whether it is there: leaving it out of a list would be a guess. */
static bool is_undecided(const struct runtime *runtime)
{
    return (runtime->state == RUNTIME_AWAY || runtime->state == RUNTIME_PROBING) && runtime->last_error.code == STATUS_OK;
}

/* While the primary has its start-up grace, calls that need it wait instead of failing; and right after the start, calls to
   several runtimes wait for a first look at all of them. */
static bool must_wait(const struct call *call)
{
    const struct call_server *server = call->server;
    const struct generation *generation = call->request.generation;
    bool needs_primary = call->route.count > 0 && call->route.targets[0] == generation->map->primary;
    if (needs_primary && server->primary_may_come && generation_primary(generation)->state != RUNTIME_READY) {
        return true;
    }
    for (size_t i = 0; server->others_may_come && call->route.count > 1 && i < call->route.count; i++) {
        if (is_undecided(generation->runtimes[call->route.targets[i]])) {
            return true;
        }
    }
    return false;
}

/* Puts the call into a list of parked ones. */
static void link_parked(struct call *call, struct call **list)
{
    call->next_parked = *list;
    call->back_parked = list;
    if (call->next_parked) {
        call->next_parked->back_parked = &call->next_parked;
    }
    *list = call;
}

static void unlink_parked(struct call *call)
{
    *call->back_parked = call->next_parked;
    if (call->next_parked) {
        call->next_parked->back_parked = call->back_parked;
    }
}

static void park(struct call *call)
{
    call->state = CALL_PARKED;
    call_hold(call);
    link_parked(call, &call->server->parked);
}

/* Whether it is for the primary alone, and is known to have no answer there. */
static bool is_absent(const struct call *call)
{
    return call->route.count == 1 && call->route.targets[0] == call->request.generation->map->primary &&
           learn_says_absent(call->server->knowledge, &call->request);
}

/* Finds the runtimes for the call and goes on with it. */
static void route(struct call *call)
{
    struct error error = {0};
    struct call_server *server = call->server;
    struct route_view view = {
        .generation = call->request.generation,
        .index = server->knowledge->index,
        .places = server->knowledge->places,
        .method = call->request.method,
        .caller = call->request.caller,
        .request = call->request.bytes,
        .arena = call->request.arena,
        .nobody_holds_id = call->nobody_holds_id,
        .beginning = call->request.beginning,
        .beginning_slot = call->beginning_slot,
    };
    if (!route_find(&view, &call->route, &error)) {
        call_fail(call, &error);
    } else if (call->route.count == 0 || is_absent(call)) {
        call->route.count = 0;
        (call->request.stream ? ask : answer_call)(call);
    } else if (must_wait(call)) {
        park(call);
    } else if (call->route.must_find_owner) {
        call->state = CALL_FINDING_OWNER;
        call_hold(call);
        find_owner_start(call);
    } else {
        ask(call);
    }
}

void call_owner_found(struct call *call, bool found, const struct error *error)
{
    if (error->code != STATUS_OK) {
        call_fail(call, error);
    } else {
        call->nobody_holds_id = !found;
        route(call);
    }
    call_drop(call); /* the hold of route() */
}

/* An RPC that crigate does not know: the primary may. */
static void route_unknown(struct call *call)
{
    call->route.targets = &call->request.generation->map->primary;
    call->route.count = 1;
    if (must_wait(call)) {
        park(call);
    } else {
        forward_start(call);
    }
}

/* Nothing was begun yet, so that the newest generation is as good as the one that it came under, and the primary that was waited
   for may be another by now. */
static void unpark(struct call *call)
{
    unlink_parked(call);
    if (call->request.cancelled) {
        fail(call, STATUS_CANCELLED, "the caller is gone");
    } else {
        generation_unref(call->request.generation);
        call->request.generation = generation_ref(call->server->generation);
        (call->request.method ? route : route_unknown)(call);
    }
    call_drop(call); /* the hold of park() */
}

void call_unpark_all(struct call_server *server)
{
    struct call *first = server->parked;
    server->parked = NULL;
    if (first) {
        first->back_parked = &first;
    }
    while (first) {
        unpark(first);
    }
}

/* ---- receiving ---- */

static void take_unknown(struct call *call)
{
    struct bytes path = transport_slice_bytes(&call->details.method);
    if (!method_path_package(path, &call->request.caller)) {
        struct error error;
        error_set(&error, STATUS_UNIMPLEMENTED, "no service of CRI has the method \"%.*s\"",
                  (int)(path.len < 200 ? path.len : 200), (const char *)path.data);
        call_fail(call, &error);
        return;
    }
    route_unknown(call);
}

static void take_known(struct call *call)
{
    if (call->request.method->list) {
        call->request.stream = call->request.method;
        call->request.method = call->request.stream->list;
    }
    if (!transport_bytes(call->request.received, call->request.arena, &call->request.bytes)) {
        fail(call, STATUS_RESOURCE_EXHAUSTED, "the request takes more memory than one call may use");
    } else if (call->request.method->merge == MERGE_EVENTS) {
        call->server->callbacks.listen(call->server->callbacks.state, call);
    } else {
        route(call);
    }
}

static void fail_loop(struct call *call)
{
    struct error error;
    loop_mark_refuse(call->request.generation->map->listen.address, &error);
    call_fail(call, &error);
}

static void on_message(struct completion *completion, bool ok)
{
    (void)ok;
    struct call *call = completion_owner(completion, struct call, message_received);
    if (!call->request.received) {
        fail(call, STATUS_INVALID_ARGUMENT, "the call has no request message, or one larger than limits.message_size");
    } else if (call->came_back) {
        fail_loop(call);
    } else if (call->server->calls > call->request.generation->map->limits.calls) {
        memory_limit_make_room(call->server);
        fail(call, STATUS_RESOURCE_EXHAUSTED, "too many calls at once; raise limits.calls in the runtime map");
    } else {
        call->request.method = method_find(transport_slice_bytes(&call->details.method), &call->request.caller);
        (call->request.method ? take_known : take_unknown)(call);
    }
    call_drop(call);
}

/* The caller left, or has its reply. What it left undone need not be done; giving the runtimes' calls this one as parent would
   say the same at a tenth more cost for every call. */
static void on_caller_gone(struct completion *completion, bool ok)
{
    (void)ok;
    struct call *call = completion_owner(completion, struct call, caller_gone);
    if (call->request.cancelled && call->state == CALL_PARKED) {
        unpark(call);
    }
    for (size_t i = 0; call->request.cancelled && call->upstream_calls && i < call->route.count; i++) {
        upstream_cancel(&call->upstream_calls[i]);
    }
    if (call->request.cancelled && call->downstream) {
        downstream_caller_gone(call->downstream);
    }
    call_drop(call);
}

/* ---- arriving ---- */

/* Before anything is taken for it. */
static void refuse(struct call *call, const char *why)
{
    char text[128];
    snprintf(text, sizeof text, "crigate: %s", why);
    call_hold(call);
    grpc_call_cancel_with_status(call->server_call, GRPC_STATUS_RESOURCE_EXHAUSTED, text, NULL);
    call_drop(call);
}

static void on_arrived(struct completion *completion, bool ok)
{
    struct call *call = completion_owner(completion, struct call, arrived);
    struct call_server *server = call->server;
    if (!ok) {
        release(call);
        server->callbacks.refused(server->callbacks.state);
        return;
    }
    count_up(server);
    call->request.generation = generation_ref(server->generation);
    call->next = server->first;
    call->back = &server->first;
    if (call->next) {
        call->next->back = &call->next;
    }
    server->first = call;
    call_expect(server);
    call->state = CALL_RECEIVING;
    call->started = worker_now();
    call->request.deadline = call->details.deadline;
    call->request.forwardable = transport_forwardable(&call->request.metadata);
    call->came_back = loop_mark_is_there(call->request.metadata.metadata, call->request.forwardable);
    if (call->request.generation->map->runtime_count > 1) {
        loop_mark_add(&call->request.metadata, &call->request.forwardable);
    }
    const char *refusal = memory_limit_refuses(server);
    if (!connection_share_take(call)) {
        refusal = "too many calls at once on one connection";
    }
    if (refusal) {
        refuse(call, refusal);
        return;
    }
    call->request.arena = call_new_arena(call);
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request.received};
    grpc_op wait_for_end = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->request.cancelled};
    call_hold(call);
    bool started = call->request.arena && call_start_batch(call, &wait_for_end, 1, &call->caller_gone) &&
                   call_start_batch(call, &receive, 1, &call->message_received);
    if (!started) {
        grpc_call_cancel(call->server_call, NULL);
    }
    call_drop(call);
}

bool call_expect(struct call_server *server)
{
    struct call *call = calloc(1, sizeof *call);
    if (!call) {
        return false;
    }
    call->server = server;
    call->request.node = server->node;
    call->arrived.run = on_arrived;
    call->message_received.run = on_message;
    call->caller_gone.run = on_caller_gone;
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->request.metadata);
    grpc_completion_queue *queue = server->worker->queue;
    grpc_call_error requested = grpc_server_request_call(server->grpc, &call->server_call, &call->details,
                                                         &call->request.metadata, queue, queue, &call->arrived);
    if (requested != GRPC_CALL_OK) {
        release(call);
        return false;
    }
    return true;
}
