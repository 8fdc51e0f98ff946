#include "sim/common/served_call.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <stdlib.h>

#include "sim/common/grpc_server.h"

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

void served_call_await(struct served_call *call, struct served_calls *all, grpc_server *server)
{
    const struct served_steps *steps = all->steps;
    call->all = all;
    call->arrived = (struct operation){steps->arrived, call};
    call->closed = (struct operation){steps->closed, call};
    call->received = (struct operation){steps->received, call};
    call->sent = (struct operation){steps->sent, call};
    call->request = grpc_empty_slice();
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->metadata);
    call->references = 1;
    all->alive++;
    if (grpc_server_request_call(server, &call->grpc_call, &call->details, &call->metadata, all->queue, all->queue,
                                 &call->arrived) != GRPC_CALL_OK) {
        release(call);
    }
}

void served_call_watch(struct served_call *call)
{
    grpc_op closed = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->cancelled};
    start_batch(call, &closed, 1, &call->closed);
}

void served_call_receive(struct served_call *call)
{
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request_buffer};
    start_batch(call, &receive, 1, &call->received);
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

void served_call_event(void *tag, bool good)
{
    struct operation *operation = tag;
    if (operation->call) {
        operation->done(operation->call, good);
        release(operation->call);
    }
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

void served_calls_run_timers(struct served_calls *all, gpr_timespec now)
{
    while (all->timers && gpr_time_cmp(all->timers->due, now) <= 0) {
        struct served_call *call = all->timers;
        all->timers = call->next_timer;
        call->on_time(call);
        release(call);
    }
}

gpr_timespec served_calls_next_timer(const struct served_calls *all, gpr_timespec latest)
{
    return all->timers ? gpr_time_min(all->timers->due, latest) : latest;
}

void served_calls_drop_timers(struct served_calls *all)
{
    while (all->timers) {
        struct served_call *call = all->timers;
        all->timers = call->next_timer;
        release(call);
    }
}
