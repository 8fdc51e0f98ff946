#include "sim/common/served_call.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/common/fields.h"
#include "sim/common/grpc_server.h"
#include "sim/common/journal_line.h"
#include "sim/common/memory.h"

/* Milliseconds: how long an idle server waits at most, and so does not see that it must stop. */
#define STEP_MOST 100

static void release(struct served_call *call)
{
    if (--call->references > 0) {
        return;
    }
    call->all->alive--;
    call->all->steps->clear(call);
    grpc_slice_unref(call->request);
    grpc_byte_buffer_destroy(call->request_buffer);
    if (call->grpc_call) {
        grpc_call_unref(call->grpc_call);
    }
    grpc_call_details_destroy(&call->details);
    grpc_metadata_array_destroy(&call->metadata);
    free(call);
}

/* Starts a batch, which holds a reference. */
static bool start_batch(struct served_call *call, const grpc_op *operations, size_t count, struct operation *tag)
{
    call->references++;
    if (grpc_call_start_batch(call->grpc_call, operations, count, tag, NULL) == GRPC_CALL_OK) {
        return true;
    }
    release(call);
    return false;
}

static void await_call(struct served_calls *all, struct served_socket *socket);

static void on_arrived(struct served_call *call, bool good)
{
    if (!good) {
        return; /* the server shuts down */
    }
    await_call(call->all, call->socket);
    call->received_at = journal_clock();
    call->timeout = sim_milliseconds_until(call->details.deadline);
    grpc_op closed = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->cancelled};
    start_batch(call, &closed, 1, &call->closed);
    if (call->all->steps->arrived(call)) {
        grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request_buffer};
        start_batch(call, &receive, 1, &call->received);
    }
}

static void on_received(struct served_call *call, bool good)
{
    if (good && call->request_buffer) {
        call->request = sim_slice_of_buffer(call->request_buffer);
        call->has_request = true;
        call->unanswered = true;
    }
    call->all->steps->received(call);
}

static void on_sent(struct served_call *call, bool good)
{
    call->over = call->over || !good;
    call->all->steps->sent(call);
}

static void on_closed(struct served_call *call, bool good)
{
    (void)good;
    call->over = true;
    call->all->steps->closed(call);
}

static void await_call(struct served_calls *all, struct served_socket *socket)
{
    struct served_call *call = sim_zeroed(1, all->steps->call_size);
    call->all = all;
    call->socket = socket;
    call->arrived = (struct operation){on_arrived, call};
    call->closed = (struct operation){on_closed, call};
    call->received = (struct operation){on_received, call};
    call->sent = (struct operation){on_sent, call};
    call->request = grpc_empty_slice();
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->metadata);
    call->references = 1;
    all->alive++;
    if (grpc_server_request_call(socket->server, &call->grpc_call, &call->details, &call->metadata, all->queue, all->queue,
                                 &call->arrived) != GRPC_CALL_OK) {
        release(call);
    }
}

bool served_call_send(struct served_call *call, grpc_slice *message, enum status_code code, const grpc_slice *details)
{
    grpc_op operations[3] = {0};
    size_t count = 0;
    grpc_byte_buffer *buffer = NULL;
    grpc_slice text = details ? *details : grpc_empty_slice();
    if (!call->headers_sent) {
        call->headers_sent = true;
        operations[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
    }
    if (message) {
        buffer = grpc_raw_byte_buffer_create(message, 1);
        operations[count].op = GRPC_OP_SEND_MESSAGE;
        operations[count++].data.send_message.send_message = buffer;
    }
    if (details) {
        call->status_sent = true;
        operations[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
        operations[count].data.send_status_from_server.status = (grpc_status_code)code;
        operations[count++].data.send_status_from_server.status_details = &text;
    }
    bool started = start_batch(call, operations, count, &call->sent);
    grpc_byte_buffer_destroy(buffer);
    return started;
}

void served_call_start_timer(struct served_call *call, unsigned milliseconds, void (*on_time)(struct served_call *call))
{
    call->references++;
    call->on_time = on_time;
    call->due = sim_from_now(milliseconds);
    struct served_call **place = &call->all->timers;
    while (*place && gpr_time_cmp((*place)->due, call->due) <= 0) {
        place = &(*place)->next_timer;
    }
    call->next_timer = *place;
    *place = call;
}

static void run_timers(struct served_calls *all)
{
    gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
    while (all->timers && gpr_time_cmp(all->timers->due, now) <= 0) {
        struct served_call *call = all->timers;
        all->timers = call->next_timer;
        call->on_time(call);
        release(call);
    }
}

static void drop_timers(struct served_calls *all)
{
    while (all->timers) {
        struct served_call *call = all->timers;
        all->timers = call->next_timer;
        release(call);
    }
}

void served_calls_begin(struct served_calls *all, const struct served_steps *steps)
{
    *all = (struct served_calls){.steps = steps, .queue = grpc_completion_queue_create_for_next(NULL)};
}

bool served_socket_bind(struct served_socket *socket, struct served_calls *all, const char *path, struct error *error)
{
    socket->server = sim_server_new();
    socket->next = all->sockets;
    all->sockets = socket;
    grpc_server_register_completion_queue(socket->server, all->queue, NULL);
    bool bound = sim_server_bind(socket->server, path, error);
    socket->path = bound ? path : NULL;
    return bound;
}

void served_socket_start(struct served_socket *socket, struct served_calls *all)
{
    grpc_server_start(socket->server);
    await_call(all, socket);
}

/* Whether it was the end of a server. */
static bool handle_event(grpc_event event)
{
    struct operation *operation = event.tag;
    struct served_call *call = operation->call;
    if (call) {
        operation->done(call, event.success);
        release(call);
    }
    return !call;
}

void served_calls_step(struct served_calls *all, gpr_timespec latest)
{
    gpr_timespec until = gpr_time_min(latest, sim_from_now(STEP_MOST));
    until = all->timers ? gpr_time_min(all->timers->due, until) : until;
    grpc_event event = grpc_completion_queue_next(all->queue, until, NULL);
    if (event.type == GRPC_OP_COMPLETE) {
        handle_event(event);
    }
    run_timers(all);
}

void served_calls_end(struct served_calls *all)
{
    size_t servers = 0;
    for (struct served_socket *socket = all->sockets; socket; socket = socket->next) {
        grpc_server_shutdown_and_notify(socket->server, all->queue, &socket->stopped);
        grpc_server_cancel_all_calls(socket->server);
        servers++;
    }
    drop_timers(all);
    while (servers > 0 || all->alive > 0) {
        servers -= handle_event(grpc_completion_queue_next(all->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL));
        drop_timers(all);
    }
    for (struct served_socket *socket = all->sockets; socket; socket = socket->next) {
        grpc_server_destroy(socket->server);
        if (socket->path) {
            unlink(socket->path);
        }
    }
    sim_queue_destroy(all->queue);
}

struct bytes served_call_method(const struct served_call *call)
{
    return sim_bytes_of_slice(&call->details.method);
}

void served_call_describe(const struct served_call *call, struct json_object *line, const struct schema_message *schema,
                          const char *code, const char *message)
{
    struct bytes path = served_call_method(call), request = sim_bytes_of_slice(&call->request);
    json_object_object_add(line, "method", json_object_new_string_len((const char *)path.data, (int)path.len));
    journal_put_message(line, "request", schema, call->has_request ? &request : NULL);
    journal_put_metadata(line, &call->metadata);
    if (call->timeout >= 0) {
        json_object_object_add(line, "timeout_ms", json_object_new_int64(call->timeout));
    }
    field_set_text(line, "code", code);
    field_set_text(line, "message", message);
    if (schema && call->has_request) {
        json_object_object_add(line, "unknown_fields", json_object_new_int64(unknown_field_count(schema, request)));
        field_set_bytes(line, "request_base64", request.data, request.len);
    }
}
