#include "dispatch.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <string.h>

#include "core/calls/answer.h"
#include "core/calls/downstream_stream.h"
#include "core/calls/find_owner.h"
#include "core/calls/forward.h"
#include "core/calls/health.h"
#include "core/calls/idle_callers.h"
#include "core/calls/list_stream.h"
#include "core/calls/log.h"
#include "core/calls/memory_limit.h"
#include "core/calls/pulls.h"
#include "core/calls/reply.h"
#include "core/knowledge/learn.h"
#include "core/transport/c_core.h"
#include "core/transport/callers.h"
#include "core/transport/header_limit.h"
#include "core/transport/loop_mark.h"
#include "core/upstream/run.h"
#include "translate/bytes/output.h"

/* For this many calls at once C core need not queue what arrives, under a lock, until it is asked for. */
#define EXPECTED_CALLS 16

/* ---- asking runtimes ---- */

static void part_ended(struct call *call)
{
    if (--call->unanswered == 0) {
        call->server->leave(call);
        (call->list_stream ? list_stream_end : answer_call)(call);
        for (size_t i = 0; i < call->route.count; i++) {
            upstream_after_reply(&call->upstream_calls[i]);
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
        part_ended(call);
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

static bool has_memory(void *state, struct error *error)
{
    return memory_limit_allows(state, error);
}

static void ask(struct call *call)
{
    static const struct upstream_callbacks callbacks = {
        .ended = on_upstream_ended, .is_last = is_last_upstream, .has_memory = has_memory, .stream = on_upstream_streams};
    call->state = CALL_ASKING;
    call_log_begin(call);
    call->upstream_calls = arena_zalloc(call->request.arena, call->route.count * sizeof *call->upstream_calls);
    if (!call->upstream_calls) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "not enough memory for this call");
        return;
    }
    struct error error = {0};
    call->request.several = call->route.count > 1;
    if (call->request.stream && !list_stream_start(call, part_ended, &error)) {
        call->route.count = 0; /* no upstream call was begun */
        call_fail(call, &error);
        return;
    }
    call_hold(call);
    call->upstream_owner = (struct upstream_owner){.request = &call->request,
                                                   .knowledge = call->server->knowledge,
                                                   .hooks = call->server->hooks,
                                                   .callbacks = &callbacks,
                                                   .state = call};
    /* One more than there are, so that the call cannot end while upstream calls are being started. */
    call->unanswered = call->route.count + 1;
    for (size_t i = 0; i < call->route.count; i++) {
        upstream_start(&call->upstream_calls[i], &call->upstream_owner, call->route.targets[i]);
    }
    part_ended(call);
}

/* Whether a runtime has not shown yet whether it is there: leaving it out of a list would be a guess. */
static bool is_undecided(const struct runtime *runtime)
{
    return (runtime->state == RUNTIME_AWAY || runtime->state == RUNTIME_PROBING) && runtime->last_error.code == STATUS_OK;
}

/* While the primary has its start-up grace, or is the only runtime and is being probed, calls that need it wait instead of
   failing; and right after startup, calls wait for a first look at all runtimes that they go to. */
static bool must_wait(const struct call *call)
{
    const struct call_server *server = call->server;
    const struct generation *generation = call->request.generation;
    const struct runtime *primary = generation_peer(generation, generation->map->primary, call->request.method);
    bool needs_primary = call->route.count > 0 && call->route.targets[0] == generation->map->primary;
    if (needs_primary && (server->primary_may_come ? primary->state != RUNTIME_READY : runtime_is_awaited(primary))) {
        return true;
    }
    for (size_t i = 0; server->others_may_come && i < call->route.count; i++) {
        if (is_undecided(generation_peer(generation, call->route.targets[i], call->request.method))) {
            return true;
        }
    }
    return false;
}

static void park(struct call *call)
{
    call->state = CALL_PARKED;
    call_hold(call);
    LIST_INSERT_HEAD(&call->server->parked, call, park);
}

/* Whether it is for the primary alone, and is known to have no answer there. */
static bool is_absent(const struct call *call)
{
    return call->route.count == 1 && call->route.targets[0] == call->request.generation->map->primary &&
           learn_says_absent(call->server->knowledge, &call->request);
}

static void on_owner_found(struct call *call, bool found, const struct error *error);

/* Finds the runtimes for the call and continues it. */
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
        find_owner_start(call, on_owner_found);
    } else if (pulls_may_go_on(call)) {
        ask(call);
    }
}

static void on_owner_found(struct call *call, bool found, const struct error *error)
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
   for may have changed by now. */
static void unpark(struct call *call)
{
    LIST_REMOVE(call, park);
    const char *refusal = memory_limit_refuses(call->server);
    if (call->request.cancelled) {
        call_refuse(call, STATUS_CANCELLED, "the caller is gone");
    } else if (refusal) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, refusal);
    } else {
        call_move_on(call, call->server->generation);
        (call->request.method ? route : route_unknown)(call);
    }
    call_drop(call); /* the hold of park() */
}

static void unpark_soon(struct call_server *server)
{
    if (!LIST_EMPTY(&server->unparked) && !server->unpark.waits) {
        worker_wait_turn(server->worker, &server->unpark);
    }
}

static void on_unpark(struct completion *completion, bool ok)
{
    (void)ok;
    struct call_server *server = completion_owner(completion, struct call_server, unpark.completion);
    if (!LIST_EMPTY(&server->unparked)) {
        unpark(LIST_FIRST(&server->unparked));
    }
    unpark_soon(server);
}

void dispatch_unpark_all(struct call_server *server)
{
    while (!LIST_EMPTY(&server->parked)) {
        struct call *call = LIST_FIRST(&server->parked);
        LIST_REMOVE(call, park);
        LIST_INSERT_HEAD(&server->unparked, call, park); /* the oldest first */
    }
    unpark_soon(server);
}

/* ---- sockets that only let read ---- */

static bool may_call(const struct request *request, const char *name, struct error *error)
{
    bool reads = request->method && !method_changes_state(request->method);
    return reads || !request->socket->read_only ||
           error_set(error, STATUS_PERMISSION_DENIED, "%s may change something, and the socket %s is read-only", name,
                     request->socket->path);
}

/* false: the request is malformed, or memory is short. */
static bool clear_verbose(struct request *request)
{
    const struct peek_path *verbose = &request->method->in[request->caller].peeks[PEEK_VERBOSE];
    struct bytes rest;
    if (verbose->depth == 0) {
        return true;
    }
    if (!walk_output_without(request->bytes, verbose->numbers[0], request->arena, &rest)) {
        return false;
    }
    grpc_slice slice = transport_slice(rest, request->arena);
    grpc_byte_buffer_destroy(request->received);
    request->received = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    request->bytes = rest;
    return true;
}

/* ---- receiving ---- */

static void take_unknown(struct call *call)
{
    struct bytes path = transport_slice_bytes(&call->details.method);
    if (health_is_meant(path)) {
        health_answer(call);
        return;
    }
    if (!method_path_package(path, &call->request.caller)) {
        struct error error;
        error_set(&error, STATUS_UNIMPLEMENTED, "CRI has no method \"%.*s\"", BYTES_SHOWN(path, 200));
        call_fail(call, &error);
        return;
    }
    call_log_begin(call);
    struct error error;
    if (may_call(&call->request, "an RPC that this crigate does not know", &error)) {
        route_unknown(call);
    } else {
        call_fail(call, &error);
    }
}

static void take_known(struct call *call)
{
    if (call->request.method->list) {
        call->request.stream = call->request.method;
        call->request.method = call->request.stream->list;
    }
    if (!transport_bytes(call->request.received, call->request.arena, &call->request.bytes)) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "the request exceeds the memory limit of a call");
        return;
    }
    if (call->request.socket->read_only && !clear_verbose(&call->request)) {
        call_refuse(call, STATUS_INVALID_ARGUMENT, "the request is malformed");
        return;
    }
    call_log_begin(call);
    struct error error;
    if (!may_call(&call->request, call->request.method->name, &error)) {
        call_fail(call, &error);
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
    struct error error;
    if (!transport_check_metadata(call->request.metadata.metadata, call->request.forwardable, &error)) {
        call_fail(call, &error);
    } else if (!call->request.received) {
        call_refuse(call, STATUS_INVALID_ARGUMENT, "the call has no request message, or one larger than limits.message_size");
    } else if (transport_is_compressed(call->server_call)) {
        call_refuse(call, STATUS_UNIMPLEMENTED, "the request is compressed, which crigate does not support");
    } else if (call->came_back) {
        fail_loop(call);
    } else if (!call->is_apart && memory_limit_calls(call->server) > call->request.generation->map->limits.calls) {
        memory_limit_make_room(call->server);
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, TOO_MANY_CALLS);
    } else {
        call->request.method = method_find(transport_slice_bytes(&call->details.method), &call->request.caller);
        (call->request.method ? take_known : take_unknown)(call);
    }
    call_drop(call);
}

/* The caller has disconnected, or has its reply. Unfinished work is cancelled. Making this call the parent of the runtimes' calls
   would do the same, but would make every call a tenth slower. */
static void on_caller_gone(struct completion *completion, bool ok)
{
    (void)ok;
    struct call *call = completion_owner(completion, struct call, caller_gone);
    if (call->request.cancelled && call->state == CALL_PARKED) {
        unpark(call);
    }
    if (call->request.cancelled && pulls_give_up(call)) {
        call_refuse(call, STATUS_CANCELLED, "the caller is gone");
        call_drop(call); /* the hold of pulls_may_go_on */
    }
    if (call->request.cancelled && call->search) {
        find_owner_cancel(call);
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
static void cancel(struct call *call, const char *why)
{
    char text[128];
    snprintf(text, sizeof text, "crigate: %s", why);
    call_count(call, STATUS_RESOURCE_EXHAUSTED);
    grpc_call_cancel_with_status(call->server_call, GRPC_STATUS_RESOURCE_EXHAUSTED, text, NULL);
}

static void receive(struct call *call)
{
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request.received};
    grpc_op wait_for_end = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->request.cancelled};
    bool started = call_start_batch(call, &wait_for_end, 1, &call->caller_gone) &&
                   call_start_batch(call, &receive, 1, &call->message_received);
    if (!started) {
        grpc_call_cancel(call->server_call, NULL);
    }
}

static bool expect(struct call_server *server);
static bool expect_with(struct call *call);

/* There is no memory to take another call in beside this one. */
static void turn_away(struct call *call)
{
    static struct log_limit logged;
    unsigned others;
    if (log_limit_allows(&logged, &others)) {
        log_line(LOG_SERIOUS, "a call was refused because memory is short; %u others since the last such line", others);
    }
    grpc_call_cancel_with_status(call->server_call, GRPC_STATUS_RESOURCE_EXHAUSTED, "crigate: not enough memory for this call",
                                 NULL);
    call_clear(call);
    expect_with(call);
}

/* Whether it came on a socket with limits of its own; then it does not count towards the others. */
static bool count_apart(struct call *call)
{
    call->is_apart = call->request.socket != &call->request.generation->map->listen;
    call->server->calls_apart += call->is_apart;
    return call->is_apart;
}

static void on_arrived(struct completion *completion, bool ok)
{
    struct call *call = completion_owner(completion, struct call, arrived);
    struct call_server *server = call->server;
    server->expected--;
    if (!ok) {
        call_drop(call);
        if (server->expected == 0) { /* before that, another one may have arrived */
            server->callbacks.refused(server->callbacks.state);
        }
        return;
    }
    if (!expect(server)) {
        turn_away(call);
        return;
    }
    call_enlist(call);
    struct request *request = &call->request;
    const struct runtime_map *map = request->generation->map;
    call->state = CALL_RECEIVING;
    request->deadline = call->details.deadline;
    size_t metadata_size = transport_metadata_size(&request->metadata);
    request->forwardable = transport_forwardable(&request->metadata);
    call->came_back = loop_mark_is_there(request->metadata.metadata, request->forwardable);
    if (map->runtime_count > 1) {
        loop_mark_add(&request->metadata, &request->forwardable);
    }
    request->arena = call_new_arena(call);
    const char *refusal = request->arena ? memory_limit_refuses(server) : "not enough memory for this call";
    call->caller = caller_take(call->server_call, call->started);
    request->socket = call_socket(call);
    if (call->caller && call->caller->in_flight > callers_share_of(map->limits.calls)) {
        refusal = "too many calls at once on one connection";
    }
    if (!request->socket) {
        refusal = "the socket is no longer in the runtime map";
    } else if (count_apart(call) && call->caller->socket->in_flight > request->socket->limits.calls) {
        refusal = "too many calls at once on this socket; raise its limits.calls in the runtime map";
    }
    if (metadata_size > HEADER_LIMIT_CALLERS) {
        refusal = "the call has more than 64 KiB of metadata";
    }
    if (refusal) {
        cancel(call, refusal);
    } else {
        receive(call);
    }
    call_drop(call);
}

/* Takes the next call that comes in. false: no memory. */
static bool expect(struct call_server *server)
{
    struct call *call = call_new(server);
    if (!call) {
        return false;
    }
    call->arrived.run = on_arrived;
    call->message_received.run = on_message;
    call->caller_gone.run = on_caller_gone;
    return expect_with(call);
}

/* The same with an empty call, which is freed if that fails. */
static bool expect_with(struct call *call)
{
    struct call_server *server = call->server;
    grpc_completion_queue *queue = server->worker->queue;
    grpc_call_error requested = grpc_server_request_call(server->grpc, &call->server_call, &call->details,
                                                         &call->request.metadata, queue, queue, &call->arrived);
    if (requested != GRPC_CALL_OK) {
        call_drop(call);
        return false;
    }
    server->expected++;
    return true;
}

bool dispatch_begin(struct call_server *server)
{
    const struct runtime_map *map = server->generation->map;
    const struct transport_bounds bounds = {
        .message_size = map->limits.message_size,
        .streams = callers_share_of(map->limits.calls),
    };
    server->unanswered = call_log_unanswered;
    server->unpark.completion.run = on_unpark;
    health_begin(server);
    pulls_begin(server, ask);
    server->grpc = transport_server(server->worker->queue, &bounds);
    grpc_server_start(server->grpc);
    callers_begin(&server->callers, server->worker, server->grpc, server->callbacks.ended, server->callbacks.state);
    memory_limit_begin(server);
    idle_callers_begin(server);
    for (int i = 0; i < EXPECTED_CALLS; i++) {
        if (!expect(server)) {
            return false;
        }
    }
    return true;
}

void dispatch_end(struct call_server *server)
{
    memory_trim_end(&server->trim);
    memory_limit_end(server);
    idle_callers_end(server);
    grpc_server_destroy(server->grpc);
    rpc_counters_free(&server->of_none);
    rpc_counters_free(&server->of_several);
}
