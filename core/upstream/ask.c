#include "ask.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>

#include "base/system/clock.h"
#include "core/transport/c_core.h"

static void on_ended(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_call *upstream = completion_owner(completion, struct upstream_call, ended);
    upstream->state = UPSTREAM_IDLE;
    upstream->seen.status = upstream->exchange.status;
    upstream->seen.runtime->calls--;
    int64_t now = clock_ns(), took = now - upstream->began;
    rpc_count_upstream(&upstream->seen.runtime->ended, upstream->seen.request->method, took);
    upstream->seen.runtime->answered++;
    upstream->seen.runtime->answer_time += took;
    if (upstream->exchange.status == GRPC_STATUS_OK) {
        upstream->seen.runtime->answered_at = now;
    }
    patience_end(&upstream->seen.runtime->patience, &upstream->waiting);
    upstream->answered(upstream);
}

gpr_timespec ask_deadline(const struct upstream_call *upstream)
{
    gpr_timespec deadline = upstream->seen.request->deadline;
    if (upstream->budget == 0) {
        return deadline;
    }
    gpr_timespec own = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(upstream->budget, GPR_TIMESPAN));
    return gpr_time_min(deadline, own);
}

/* A request that did not change is sent as it came: its bytes are the transport's, which may need them for longer than the call
   lasts. */
static grpc_byte_buffer *message_of(const struct request *request, struct bytes converted)
{
    if (converted.data == request->bytes.data && converted.len == request->bytes.len) {
        return grpc_byte_buffer_copy(request->received);
    }
    grpc_slice slice = transport_slice(converted, request->arena);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return message;
}

static bool send_and_receive(struct upstream_call *upstream, struct channel *channel, grpc_byte_buffer *message)
{
    const struct request *request = upstream->seen.request;
    struct exchange *exchange = &upstream->exchange;
    grpc_op ops[CHANNEL_SEND_OPS + 3];
    size_t count = channel_send_with(channel, exchange->call, request->metadata.metadata, request->forwardable, message, ops);
    ops[count++] = exchange_receive_initial(exchange);
    ops[count++] = exchange_receive_message(exchange);
    ops[count++] = exchange_receive_status(exchange);
    upstream->ended.run = on_ended;
    return grpc_call_start_batch(exchange->call, ops, count, &upstream->ended, NULL) == GRPC_CALL_OK;
}

bool ask_runtime(struct upstream_call *upstream, void (*answered)(struct upstream_call *upstream))
{
    const struct request *request = upstream->seen.request;
    const char *path = request->method->in[upstream->seen.runtime->dialect].path;
    struct channel *channel = &upstream->seen.runtime->connection.channel;
    channel_call(channel, &upstream->exchange, NULL, grpc_slice_from_static_string(path), ask_deadline(upstream));
    upstream->answered = answered;
    upstream->seen.runtime->calls++;
    upstream->taken = channel->taken;
    grpc_byte_buffer *message = message_of(request, upstream->seen.sent);
    bool started = send_and_receive(upstream, channel, message);
    grpc_byte_buffer_destroy(message);
    if (!started) {
        grpc_call_cancel(upstream->exchange.call, NULL);
        upstream->seen.runtime->calls--;
        return error_set(&upstream->error, STATUS_INTERNAL, "the transport refused the call to runtime %s",
                         upstream->seen.runtime->entry->name);
    }
    upstream->state = UPSTREAM_ASKING;
    if (upstream->watched) {
        runtime_watch(upstream->seen.runtime, &upstream->waiting, request->method);
    }
    return true;
}
