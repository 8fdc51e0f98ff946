#include "core/transport/query.h"

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <stdlib.h>

#include "core/transport/c_core.h"
#include "core/transport/exchange.h"
#include "core/transport/loop_mark.h"

/* An answer comes in one piece of the transport's memory, or is copied into this much. */
#define QUERY_MEMORY ((size_t)256 * 1024 * 1024)

struct query {
    query_done *done; /* NULL after a cancellation */
    void *state;
    struct completion received; /* the answer */
    struct completion surplus;  /* what follows it: nothing, or the peer breaks the protocol */
    struct completion ended;
    unsigned pending; /* of these three */
    struct exchange exchange;
    gpr_timespec deadline;
    int64_t milliseconds; /* until then, from the beginning */
    grpc_byte_buffer *second;
};

static void release(struct query *query)
{
    grpc_byte_buffer_destroy(query->second);
    exchange_release(&query->exchange);
    free(query);
}

/* Whether its time is up. The peer may answer that code itself, at once; and timers are not exact. */
static bool is_too_late(const struct query *query)
{
    int64_t left = gpr_time_to_millis(gpr_time_sub(query->deadline, gpr_now(query->deadline.clock_type)));
    return query->exchange.status == GRPC_STATUS_DEADLINE_EXCEEDED && left <= query->milliseconds / 10;
}

static void report(struct query *query, struct arena *arena)
{
    struct error error = {0};
    struct bytes answer = {0};
    if (query->second) {
        error_set(&error, STATUS_INTERNAL, "the answer has more than one message");
    } else if (is_too_late(query)) {
        error_set(&error, STATUS_DEADLINE_EXCEEDED, QUERY_TOO_LATE " %g s", (double)query->milliseconds / 1000);
    } else if (query->exchange.status != GRPC_STATUS_OK) {
        struct bytes details = transport_slice_bytes(&query->exchange.details);
        error_set(&error, (enum status_code)query->exchange.status, "%.*s", BYTES_SHOWN(details, 512));
    } else if (!query->exchange.message) {
        error_set(&error, STATUS_INTERNAL, "the answer has no message");
    } else if (transport_is_compressed(query->exchange.call)) {
        error_set(&error, STATUS_UNIMPLEMENTED, "the answer is compressed, which crigate does not support");
    } else if (!arena || !transport_bytes(query->exchange.message, arena, &answer)) {
        error_set(&error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the answer");
    }
    query->done(query->state, &error, answer);
}

static void drop_pending(struct query *query)
{
    if (--query->pending > 0) {
        return;
    }
    if (query->done) {
        struct arena *arena = arena_new(QUERY_MEMORY);
        report(query, arena);
        arena_unref(arena);
    }
    release(query);
}

static void on_ended(struct completion *completion, bool ok)
{
    (void)ok;
    drop_pending(completion_owner(completion, struct query, ended));
}

static void on_surplus(struct completion *completion, bool ok)
{
    (void)ok;
    struct query *query = completion_owner(completion, struct query, surplus);
    if (query->second) {
        grpc_call_cancel(query->exchange.call, NULL);
    }
    drop_pending(query);
}

static bool start(struct query *query, const grpc_op *ops, size_t count, struct completion *completion)
{
    bool started = grpc_call_start_batch(query->exchange.call, ops, count, completion, NULL) == GRPC_CALL_OK;
    query->pending += started;
    return started;
}

/* A peer that keeps sending sends no status before what it has sent is read: the call would last until its deadline. */
static void on_received(struct completion *completion, bool ok)
{
    (void)ok;
    struct query *query = completion_owner(completion, struct query, received);
    const grpc_op next = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &query->second};
    if (query->exchange.message && !start(query, &next, 1, &query->surplus)) {
        grpc_call_cancel(query->exchange.call, NULL);
    }
    drop_pending(query);
}

static bool send_and_receive(struct query *query, struct channel *channel, struct bytes request)
{
    grpc_op ops[CHANNEL_SEND_OPS + 2];
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)request.data, request.len);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    grpc_metadata mark = loop_mark_metadata();
    size_t count = channel_send_with(channel, query->exchange.call, &mark, 1, message, ops);
    ops[count++] = exchange_receive_initial(&query->exchange);
    ops[count++] = exchange_receive_message(&query->exchange);
    const grpc_op status = exchange_receive_status(&query->exchange);
    bool started = start(query, ops, count, &query->received);
    grpc_byte_buffer_destroy(message);
    return started && start(query, &status, 1, &query->ended);
}

struct query *query_start(struct channel *channel, const char *path, struct bytes request, int64_t milliseconds, query_done *done,
                          void *state)
{
    struct query *query = calloc(1, sizeof *query);
    if (!query) {
        return NULL;
    }
    query->done = done;
    query->state = state;
    query->received.run = on_received;
    query->surplus.run = on_surplus;
    query->ended.run = on_ended;
    query->milliseconds = milliseconds;
    query->deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
    channel_call(channel, &query->exchange, NULL, grpc_slice_from_static_string(path), query->deadline);
    if (!send_and_receive(query, channel, request)) {
        query_cancel(query);
        if (query->pending == 0) {
            release(query);
        }
        return NULL;
    }
    return query;
}

void query_cut_short(struct query *query)
{
    grpc_call_cancel(query->exchange.call, NULL);
}

void query_cancel(struct query *query)
{
    query->done = NULL;
    grpc_call_cancel(query->exchange.call, NULL);
}
