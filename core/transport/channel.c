#include "channel.h"

#include "core/transport/c_core.h"
#include "core/transport/socket_shutdown.h"

static void end_if_drained(struct channel *channel)
{
    if (!channel->grpc && channel->unsent == 0) {
        channel->drained(channel);
    }
}

static void on_sent(struct completion *completion, bool ok)
{
    (void)ok;
    struct channel *channel = completion_owner(completion, struct channel, sent);
    channel->unsent--;
    channel->taken++;
    end_if_drained(channel);
}

void channel_open(struct channel *channel, const char *endpoint, size_t message_size, struct worker *worker,
                  void (*drained)(struct channel *channel))
{
    *channel = (struct channel){
        .grpc = transport_channel(endpoint, message_size), .worker = worker, .sent.run = on_sent, .drained = drained};
}

grpc_call *channel_call(struct channel *channel, grpc_call *parent, grpc_slice path, gpr_timespec deadline)
{
    return grpc_channel_create_call(channel->grpc, parent, GRPC_PROPAGATE_DEFAULTS, channel->worker->queue, path, NULL, deadline,
                                    NULL);
}

bool channel_send(struct channel *channel, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                  grpc_byte_buffer *message)
{
    const grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA, .data.send_initial_metadata = {.count = metadata_count, .metadata = metadata}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
    };
    if (grpc_call_start_batch(call, ops, sizeof ops / sizeof ops[0], &channel->sent, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(call, NULL);
        return false;
    }
    channel->unsent++;
    return true;
}

void channel_close(struct channel *channel, const char *endpoint)
{
    if (channel->unsent > 0) {
        socket_shutdown(endpoint);
    }
    grpc_channel_destroy(channel->grpc);
    channel->grpc = NULL;
    end_if_drained(channel);
}
