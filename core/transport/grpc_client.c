#include "core/transport/grpc_client.h"

#include <stdlib.h>

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>
#include <grpc/support/time.h>

#include "core/transport/c_core.h"
#include "core/transport/exchange.h"

/* Tags of the completion queue. */
static char opened, received, closed;

static grpc_slice slice_of(struct bytes bytes)
{
    return grpc_slice_from_copied_buffer(bytes.data ? (const char *)bytes.data : "", bytes.len);
}

bool client_metadata_is_legal(const struct client_metadata *metadata)
{
    grpc_slice key = slice_of(metadata->key);
    grpc_slice value = slice_of(metadata->value);
    bool legal = grpc_header_key_is_legal(key) && (grpc_is_binary_header(key) || grpc_header_nonbin_value_is_legal(value));
    grpc_slice_unref(key);
    grpc_slice_unref(value);
    return legal;
}

static struct client_status status_of(grpc_status_code code, struct bytes message)
{
    struct client_status status = {.code = (int)code <= (int)STATUS_UNAUTHENTICATED ? (enum status_code)code : STATUS_UNKNOWN};
    status.message = strndup((const char *)message.data, message.len);
    return status;
}

static void start(struct exchange *exchange, const grpc_op *ops, size_t count, void *tag)
{
    grpc_call_error problem = grpc_call_start_batch(exchange->call, ops, count, tag, NULL);
    if (problem != GRPC_CALL_OK) {
        /* The arguments should have been checked before; waiting for the batch would never end. */
        abort();
    }
}

static void wait_for(grpc_completion_queue *queue, void *tag)
{
    grpc_completion_queue_pluck(queue, tag, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
}

static grpc_metadata *metadata_new(const struct client_request *request)
{
    grpc_metadata *metadata = gpr_malloc((request->metadata_count + 1) * sizeof *metadata);
    for (size_t i = 0; i < request->metadata_count; i++) {
        metadata[i] = (grpc_metadata){.key = slice_of(request->metadata[i].key), .value = slice_of(request->metadata[i].value)};
    }
    return metadata;
}

static void metadata_free(grpc_metadata *metadata, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        grpc_slice_unref(metadata[i].key);
        grpc_slice_unref(metadata[i].value);
    }
    gpr_free(metadata);
}

/* Sends the request. The response is received by the functions below. */
static void open_call(struct exchange *exchange, const struct client_request *request, grpc_metadata *metadata,
                      grpc_byte_buffer *message)
{
    const grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .data.send_initial_metadata = {.count = request->metadata_count, .metadata = metadata}},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        exchange_receive_initial(exchange),
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
    };
    const grpc_op close = exchange_receive_status(exchange);
    start(exchange, ops, request->no_message ? 3 : 4, &opened);
    start(exchange, &close, 1, &closed);
}

static bool deliver(const struct client_request *request, grpc_byte_buffer *buffer, bool *no_memory)
{
    size_t size = grpc_byte_buffer_length(buffer);
    struct arena *arena = arena_new(size + 1);
    struct bytes message;
    *no_memory = !arena || !transport_bytes(buffer, arena, &message);
    bool go_on = !*no_memory && request->on_message(request->state, message);
    arena_unref(arena);
    return go_on;
}

/* A unary call is a stream of one message. false: there was no memory for one. */
static bool receive_messages(struct exchange *exchange, grpc_completion_queue *queue, const struct client_request *request)
{
    bool go_on = true, no_memory = false;
    while (go_on) {
        const grpc_op receive = exchange_receive_message(exchange);
        start(exchange, &receive, 1, &received);
        wait_for(queue, &received);
        go_on = exchange->message && deliver(request, exchange->message, &no_memory);
        if (exchange->message && !go_on) {
            grpc_call_cancel(exchange->call, NULL);
        }
        grpc_byte_buffer_destroy(exchange->message);
        exchange->message = NULL;
    }
    return !no_memory;
}

static grpc_call *new_call(const struct client_request *request, grpc_channel *channel, grpc_completion_queue *queue)
{
    gpr_timespec deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC);
    if (request->timeout > 0) {
        deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(request->timeout, GPR_TIMESPAN));
    }
    grpc_slice path = grpc_slice_from_copied_string(request->path);
    grpc_call *call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue, path, NULL, deadline, NULL);
    grpc_slice_unref(path);
    return call;
}

static struct client_status run_on_channel(const struct client_request *request, grpc_channel *channel)
{
    struct exchange exchange;
    grpc_completion_queue *queue = grpc_completion_queue_create_for_pluck(NULL);
    exchange_begin(&exchange, new_call(request, channel, queue));
    grpc_metadata *metadata = metadata_new(request);
    grpc_slice piece = slice_of(request->message);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&piece, 1);
    grpc_slice_unref(piece);
    open_call(&exchange, request, metadata, message);
    bool received_all = receive_messages(&exchange, queue, request);
    wait_for(queue, &opened);
    wait_for(queue, &closed);
    struct client_status status =
        received_all ? status_of(exchange.status, transport_slice_bytes(&exchange.details))
                     : status_of(GRPC_STATUS_RESOURCE_EXHAUSTED, bytes_of_string("crigate: not enough memory for the answer"));

    grpc_byte_buffer_destroy(message);
    metadata_free(metadata, request->metadata_count);
    exchange_release(&exchange);
    grpc_completion_queue_shutdown(queue);
    grpc_completion_queue_destroy(queue);
    return status;
}

struct client_status client_run(const struct client_request *request)
{
    /* Off: C core's timer that polls for channels on which nobody waits. Here somebody always does, and if the timer goes off
       during the shutdown, C core prints that on standard error. */
    setenv("GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS", "0", 1);
    grpc_init();
    grpc_channel *channel = transport_channel(request->endpoint, request->max_message);
    struct client_status status = run_on_channel(request, channel);
    grpc_channel_destroy(channel);
    grpc_shutdown();
    return status;
}
