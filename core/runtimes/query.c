#include "query.h"

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <stdlib.h>

#include "core/transport/c_core.h"
#include "core/transport/loop_mark.h"

/* An answer comes in one piece of the transport's memory, or is copied into this much. */
#define INQUIRY_MEMORY ((size_t)256 * 1024 * 1024)

struct inquiry {
    inquiry_done *done; /* NULL after a cancellation */
    void *state;
    struct event answered;
    grpc_call *call;
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *message;
    grpc_status_code status;
    grpc_slice details;
};

static void release(struct inquiry *inquiry)
{
    grpc_call_unref(inquiry->call);
    grpc_metadata_array_destroy(&inquiry->initial);
    grpc_metadata_array_destroy(&inquiry->trailing);
    grpc_byte_buffer_destroy(inquiry->message);
    grpc_slice_unref(inquiry->details);
    free(inquiry);
}

static void tell(struct inquiry *inquiry, struct arena *arena)
{
    struct error error = {0};
    struct bytes answer = {0};
    if (inquiry->status != GRPC_STATUS_OK) {
        struct bytes details = transport_slice_bytes(&inquiry->details);
        error_set(&error, (enum status_code)inquiry->status, "%.*s", (int)(details.len < 512 ? details.len : 512),
                  (const char *)details.data);
    } else if (transport_is_compressed(inquiry->message)) {
        error_set(&error, STATUS_UNIMPLEMENTED, "the answer is compressed, which crigate does not take");
    } else if (!arena || !transport_bytes(inquiry->message, arena, &answer)) {
        error_set(&error, STATUS_RESOURCE_EXHAUSTED, "no memory for the answer");
    }
    inquiry->done(inquiry->state, &error, answer);
}

static void on_answered(struct event *event, bool ok)
{
    (void)ok;
    struct inquiry *inquiry = event_owner(event, struct inquiry, answered);
    if (inquiry->done) {
        struct arena *arena = arena_new(INQUIRY_MEMORY);
        tell(inquiry, arena);
        arena_unref(arena);
    }
    release(inquiry);
}

static bool send(struct inquiry *inquiry, struct upstream *upstream, struct bytes request)
{
    const grpc_op receive[] = {
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &inquiry->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &inquiry->message},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &inquiry->trailing,
                                        .status = &inquiry->status,
                                        .status_details = &inquiry->details}},
    };
    if (grpc_call_start_batch(inquiry->call, receive, sizeof receive / sizeof receive[0], &inquiry->answered, NULL) !=
        GRPC_CALL_OK) {
        return false;
    }
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)request.data, request.len);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    grpc_metadata mark = circle_mark();
    upstream_send(upstream, inquiry->call, &mark, 1, message); /* when refused, that is what `answered` tells */
    grpc_byte_buffer_destroy(message);
    return true;
}

struct inquiry *inquiry_start(struct upstream *upstream, const char *path, struct bytes request, int64_t milliseconds,
                              inquiry_done *done, void *state)
{
    struct inquiry *inquiry = calloc(1, sizeof *inquiry);
    if (!inquiry) {
        return NULL;
    }
    inquiry->done = done;
    inquiry->state = state;
    inquiry->answered.run = on_answered;
    inquiry->details = grpc_empty_slice();
    grpc_metadata_array_init(&inquiry->initial);
    grpc_metadata_array_init(&inquiry->trailing);
    gpr_timespec deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
    inquiry->call = upstream_call(upstream, NULL, grpc_slice_from_static_string(path), deadline);
    if (!send(inquiry, upstream, request)) {
        release(inquiry);
        return NULL;
    }
    return inquiry;
}

void inquiry_cut_short(struct inquiry *inquiry)
{
    grpc_call_cancel(inquiry->call, NULL);
}

void inquiry_cancel(struct inquiry *inquiry)
{
    inquiry->done = NULL;
    grpc_call_cancel(inquiry->call, NULL);
}
