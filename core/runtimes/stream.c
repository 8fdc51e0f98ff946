#include "stream.h"

#include <grpc/byte_buffer.h>
#include <inttypes.h>

#include "core/transport/c_core.h"

static bool start_batch(struct inflow *inflow, const grpc_op *ops, size_t count, struct event *event)
{
    if (grpc_call_start_batch(inflow->call, ops, count, event, NULL) != GRPC_CALL_OK) {
        grpc_call_cancel(inflow->call, NULL);
        return false;
    }
    inflow->pending++;
    return true;
}

/* The status comes when all messages have been taken, or none can come any more; then `closed` is the last batch to end, or the
   others follow at once. */
static void end_batch(struct inflow *inflow)
{
    if (--inflow->pending == 0) {
        worker_disarm(inflow->runtime->worker, &inflow->patience);
        inflow->runtime->calls -= !inflow->background;
        inflow->listener->ended(inflow->state);
    }
}

static void on_closed(struct event *event, bool ok)
{
    (void)ok;
    struct inflow *inflow = event_owner(event, struct inflow, closed);
    inflow->no_more = true;
    end_batch(inflow);
}

static void on_patience(struct event *event, bool ok)
{
    (void)ok;
    struct inflow *inflow = event_owner(event, struct inflow, patience);
    if (inflow->patient) {
        runtime_hangs(inflow->runtime, inflow->asked);
        return;
    }
    inflow->over_budget = true;
    inflow_cancel(inflow);
}

static void on_received(struct event *event, bool ok)
{
    (void)ok;
    struct inflow *inflow = event_owner(event, struct inflow, received);
    worker_disarm(inflow->runtime->worker, &inflow->patience);
    grpc_byte_buffer *message = inflow->message;
    inflow->message = NULL;
    if (!message || inflow->no_more) {
        inflow->no_more = true;
    } else {
        inflow->messages++;
        inflow->listener->message(inflow->state, message);
    }
    grpc_byte_buffer_destroy(message);
    end_batch(inflow);
}

bool inflow_start(struct inflow *inflow, const struct inflow_call *call, const struct inflow_listener *listener, void *state)
{
    struct runtime *runtime = call->runtime;
    *inflow = (struct inflow){
        .runtime = runtime,
        .service = call->service,
        .listener = listener,
        .state = state,
        .budget = call->budget,
        .background = call->background,
        .patient = call->patient,
        .details = grpc_empty_slice(),
        .patience.event.run = on_patience,
        .received.run = on_received,
        .closed.run = on_closed,
    };
    struct upstream *upstream = runtime_upstream(runtime, call->service);
    inflow->call = upstream_call(upstream, NULL, grpc_slice_from_static_string(call->path), call->deadline);
    grpc_metadata_array_init(&inflow->initial);
    grpc_metadata_array_init(&inflow->trailing);
    const grpc_op close[] = {
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &inflow->initial},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &inflow->trailing,
                                        .status = &inflow->status,
                                        .status_details = &inflow->details}},
    };
    if (!start_batch(inflow, close, sizeof close / sizeof close[0], &inflow->closed)) {
        inflow_release(inflow);
        return false;
    }
    grpc_slice slice = call->request;
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    if (!upstream_send(upstream, inflow->call, call->metadata, call->metadata_count, message)) {
        inflow->no_more = true; /* cancelled: `closed` tells */
    }
    grpc_byte_buffer_destroy(message);
    runtime->calls += !inflow->background;
    return true;
}

void inflow_next(struct inflow *inflow)
{
    if (inflow->no_more) {
        return;
    }
    inflow->asked = worker_now();
    if (inflow->budget > 0) {
        worker_arm(inflow->runtime->worker, &inflow->patience, inflow->budget);
    }
    grpc_op op = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &inflow->message};
    inflow->no_more = !start_batch(inflow, &op, 1, &inflow->received);
}

void inflow_cancel(struct inflow *inflow)
{
    inflow->no_more = true;
    worker_disarm(inflow->runtime->worker, &inflow->patience);
    grpc_call_cancel(inflow->call, NULL);
}

bool inflow_explain(const struct inflow *inflow, const char *method, struct error *error)
{
    struct runtime *runtime = inflow->runtime;
    if (inflow->over_budget) {
        runtime_hangs(runtime, inflow->asked);
        error_set(error, STATUS_UNAVAILABLE, "runtime %s did not answer %s within its budget of %" PRId64 " ms",
                  runtime->entry->name, method, inflow->budget);
        return true;
    }
    return runtime_explain(runtime, inflow->service, inflow->status, transport_slice_bytes(&inflow->details), error);
}

void inflow_release(struct inflow *inflow)
{
    grpc_call_unref(inflow->call);
    grpc_metadata_array_destroy(&inflow->initial);
    grpc_metadata_array_destroy(&inflow->trailing);
    grpc_slice_unref(inflow->details);
}
