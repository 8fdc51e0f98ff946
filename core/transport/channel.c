#include "channel.h"

#include "core/transport/c_core.h"
#include "core/transport/socket_shutdown.h"

static void end_if_drained(struct upstream *upstream)
{
    if (!upstream->channel && upstream->unsent == 0) {
        upstream->drained(upstream);
    }
}

static void on_sent(struct event *event, bool ok)
{
    (void)ok;
    struct upstream *upstream = event_owner(event, struct upstream, sent);
    upstream->unsent--;
    upstream->taken++;
    end_if_drained(upstream);
}

void upstream_open(struct upstream *upstream, const char *endpoint, size_t message_size, struct worker *worker,
                   void (*drained)(struct upstream *upstream))
{
    *upstream = (struct upstream){
        .channel = transport_channel(endpoint, message_size), .worker = worker, .sent.run = on_sent, .drained = drained};
}

grpc_call *upstream_call(struct upstream *upstream, grpc_call *parent, grpc_slice path, gpr_timespec deadline)
{
    return grpc_channel_create_call(upstream->channel, parent, GRPC_PROPAGATE_DEFAULTS, upstream->worker->queue, path, NULL,
                                    deadline, NULL);
}

bool upstream_send(struct upstream *upstream, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                   grpc_byte_buffer *message)
{
    const grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA, .data.send_initial_metadata = {.count = metadata_count, .metadata = metadata}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
    };
    if (grpc_call_start_batch(call, ops, sizeof ops / sizeof ops[0], &upstream->sent, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(call, NULL);
        return false;
    }
    upstream->unsent++;
    return true;
}

void upstream_hang_up(const char *endpoint)
{
    socket_cut(endpoint);
}

void upstream_close(struct upstream *upstream, const char *endpoint)
{
    if (upstream->unsent > 0) {
        socket_cut(endpoint);
    }
    grpc_channel_destroy(upstream->channel);
    upstream->channel = NULL;
    end_if_drained(upstream);
}
