#include "core/calls/health.h"

#include <grpc/byte_buffer.h>

#include "core/calls/downstream_stream.h"
#include "core/calls/log.h"
#include "core/calls/reply.h"
#include "core/transport/c_core.h"
#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"

/* As the protocol numbers them. */
enum serving {
    SERVING_UNKNOWN = 0, /* never sent */
    SERVING = 1,
    NOT_SERVING = 2,
    SERVICE_UNKNOWN = 3, /* to callers of Watch alone */
};

/* A call of Watch, in its arena. */
struct health_watch {
    struct downstream_stream downstream;
    struct bytes name;
    enum serving told; /* last */
    TAILQ_ENTRY(health_watch) others;
};

bool health_is_meant(struct bytes path)
{
    return bytes_start_with(path, bytes_of_string("/grpc.health.v1.Health/"));
}

/* ---- what is serving ---- */

static bool is_ready(const struct call_server *server, enum service service)
{
    return server->generation && runtime_serving(generation_primary(server->generation), service)->state == RUNTIME_READY;
}

static enum serving serving_of(const struct call_server *server, struct bytes name)
{
    bool runtime = is_ready(server, SERVICE_RUNTIME), images = is_ready(server, SERVICE_IMAGE);
    enum service service;
    if (name.len == 0) {
        return runtime && images ? SERVING : NOT_SERVING;
    }
    struct bytes known = method_service_at(0, &service);
    for (size_t i = 1; known.len > 0 && !bytes_equal(known, name); i++) {
        known = method_service_at(i, &service);
    }
    bool ready = service == SERVICE_IMAGE ? images : runtime;
    return known.len == 0 ? SERVICE_UNKNOWN : ready ? SERVING : NOT_SERVING;
}

/* A HealthCheckResponse. */
static grpc_slice response_of(enum serving serving)
{
    const char response[] = {1 << 3 | WIRE_VARINT, (char)serving};
    return grpc_slice_from_copied_buffer(response, sizeof response);
}

/* Takes over the message. */
static void answer(struct call *call, grpc_slice message)
{
    struct reply reply = {
        .message = grpc_raw_byte_buffer_create(&message, 1), .code = GRPC_STATUS_OK, .details = grpc_empty_slice()};
    grpc_slice_unref(message);
    call_log_reply(call, STATUS_OK, (struct bytes){0}, NULL);
    call_reply(call, &reply);
    grpc_byte_buffer_destroy(reply.message);
}

static void check(struct call *call, struct bytes name)
{
    enum serving serving = serving_of(call->server, name);
    struct error error;
    if (serving == SERVICE_UNKNOWN) {
        error_set(&error, STATUS_NOT_FOUND,
                  "health: there is no service \"%.*s\"; use \"\" for all, or runtime.v1.RuntimeService", BYTES_SHOWN(name, 200));
        call_fail(call, &error);
    } else {
        answer(call, response_of(serving));
    }
}

/* ---- List ---- */

static bool add_to_list(struct walk_output *list, struct bytes name, enum serving serving)
{
    const uint8_t response[] = {1 << 3 | WIRE_VARINT, (uint8_t)serving};
    size_t expected = name.len + 8;
    size_t entry = walk_output_open(list, 1, expected);
    return entry != SIZE_MAX && walk_output_put_field(list, 1, name) &&
           walk_output_put_field(list, 2, bytes_of(response, sizeof response)) && walk_output_close(list, entry, expected);
}

static void list_all(struct call *call)
{
    struct walk_output list;
    enum service service;
    struct bytes name = {0};
    bool done = walk_output_start(&list, call->request.arena, 512);
    for (size_t i = 0; done && (i == 0 || name.len > 0); name = method_service_at(i++, &service)) {
        done = add_to_list(&list, name, serving_of(call->server, name));
    }
    if (done) {
        answer(call, transport_slice(walk_output_finish(&list), call->request.arena));
    } else {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "not enough memory for this call");
    }
}

/* ---- Watch ---- */

/* A caller that does not read misses what is no longer true. */
static void tell(struct health_watch *watch)
{
    enum serving serving = serving_of(watch->downstream.call->server, watch->name);
    if (serving != watch->told && downstream_has_room(&watch->downstream)) {
        watch->told = serving;
        downstream_put(&watch->downstream, response_of(serving));
    }
}

static void on_room(void *state)
{
    tell(state);
}

static void leave(struct call_server *server, struct health_watch *watch)
{
    TAILQ_REMOVE(&server->watches, watch, others);
    server->watch_count--;
}

static void end_watch(struct health_watch *watch, enum status_code code, const char *why)
{
    struct error error;
    error_set(&error, code, "%s", why);
    leave(watch->downstream.call->server, watch);
    downstream_fail(&watch->downstream, &error);
}

static void on_gone(void *state)
{
    end_watch(state, STATUS_CANCELLED, "the caller is gone");
}

static void on_stopping(void *state)
{
    end_watch(state, STATUS_UNAVAILABLE, "the gateway is stopping; retry");
}

static void begin_watch(struct call *call, struct bytes name)
{
    static const struct downstream_bounds bounds = {.messages = 1, .bytes = SIZE_MAX};
    static const struct downstream_callbacks callbacks = {.room = on_room, .gone = on_gone, .stopping = on_stopping};
    struct call_server *server = call->server;
    struct health_watch *watch = arena_zalloc(call->request.arena, sizeof *watch);
    struct error error;
    if (!watch) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "not enough memory for this call");
        return;
    }
    watch->name = name;
    TAILQ_INSERT_TAIL(&server->watches, watch, others);
    server->watch_count++;
    if (downstream_start(&watch->downstream, call, &bounds, &callbacks, watch, &error)) {
        tell(watch); /* of no effect if the caller has disconnected */
    } else {
        leave(server, watch);
        call_fail(call, &error);
    }
}

static void go_on_telling(struct call_server *server)
{
    if (server->watches_untold > server->watch_count) {
        server->watches_untold = server->watch_count;
    }
    if (server->watches_untold > 0 && !server->telling.waits) {
        worker_wait_turn(server->worker, &server->telling);
    }
}

static void on_telling(struct completion *completion, bool ok)
{
    (void)ok;
    struct call_server *server = completion_owner(completion, struct call_server, telling.completion);
    struct health_watch *watch = TAILQ_FIRST(&server->watches);
    if (watch && server->watches_untold > 0) {
        server->watches_untold--;
        TAILQ_REMOVE(&server->watches, watch, others);
        TAILQ_INSERT_TAIL(&server->watches, watch, others);
        if (server->generation) {
            call_move_on(watch->downstream.call, server->generation); /* it may last for days */
        }
        tell(watch);
    }
    go_on_telling(server);
}

void health_changed(struct call_server *server)
{
    server->watches_untold = server->watch_count;
    go_on_telling(server);
}

/* ---- the service ---- */

void health_begin(struct call_server *server)
{
    TAILQ_INIT(&server->watches);
    server->telling.completion.run = on_telling;
}

void health_answer(struct call *call)
{
    struct bytes path = transport_slice_bytes(&call->details.method);
    struct bytes name;
    struct error error;
    call->is_of_health = true;
    if (!transport_bytes(call->request.received, call->request.arena, &call->request.bytes)) {
        call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "the request exceeds the memory limit of a call");
    } else if (!wire_find_payload(call->request.bytes, 1, &name)) {
        call_refuse(call, STATUS_INVALID_ARGUMENT, "health: the request is malformed");
    } else if (bytes_equal(path, bytes_of_string("/grpc.health.v1.Health/Check"))) {
        check(call, name);
    } else if (bytes_equal(path, bytes_of_string("/grpc.health.v1.Health/Watch"))) {
        begin_watch(call, name);
    } else if (bytes_equal(path, bytes_of_string("/grpc.health.v1.Health/List"))) {
        list_all(call);
    } else {
        error_set(&error, STATUS_UNIMPLEMENTED, "health: there is no method \"%.*s\"", BYTES_SHOWN(path, 200));
        call_fail(call, &error);
    }
}
