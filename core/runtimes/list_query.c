#include "list_query.h"

#include <grpc/byte_buffer.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtimes/stream.h"
#include "core/transport/c_core.h"
#include "core/transport/loop_mark.h"
#include "translate/pieces.h"

struct list_inquiry {
    struct runtime *runtime; /* referenced while the stream is open */
    const struct method *method;
    int64_t milliseconds;
    inquiry_done *done; /* NULL after a cancellation */
    void *state;
    struct inquiry *plain; /* while the list is asked for as one message; then the stream is */
    struct inflow inflow;
    uint8_t *list;
    size_t size;
    size_t room;
    bool too_long;
};

static bool add(struct list_inquiry *inquiry, struct bytes part)
{
    if (part.len > inquiry->room - inquiry->size) {
        size_t room = 2 * inquiry->room + part.len;
        uint8_t *grown = room <= 2 * LAST_KNOWN_DEFAULT_LIMIT ? realloc(inquiry->list, room) : NULL;
        if (!grown) {
            return false;
        }
        inquiry->list = grown;
        inquiry->room = room;
    }
    if (part.len > 0) {
        memcpy(inquiry->list + inquiry->size, part.data, part.len);
    }
    inquiry->size += part.len;
    return true;
}

static void on_message(void *state, grpc_byte_buffer *message)
{
    struct list_inquiry *inquiry = state;
    const grpc_slice_buffer *slices = &message->data.raw.slice_buffer;
    for (size_t i = 0; i < slices->count && !inquiry->too_long; i++) {
        inquiry->too_long = !add(inquiry, transport_slice_bytes(&slices->slices[i]));
    }
    if (inquiry->too_long) {
        inflow_cancel(&inquiry->inflow);
    } else {
        inflow_next(&inquiry->inflow);
    }
}

/* Why there is no list. */
static void explain(const struct list_inquiry *inquiry, struct error *error)
{
    struct bytes details = transport_slice_bytes(&inquiry->inflow.details);
    if (inquiry->too_long) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory for the answer");
    } else if (!inflow_explain(&inquiry->inflow, inquiry->method->stream->name, error)) {
        error_set(error, (enum status_code)inquiry->inflow.status, "%.*s", (int)(details.len < 512 ? details.len : 512),
                  (const char *)details.data);
    }
}

/* Hands the list over, if it is one that may be taken apart. */
static void tell(const struct list_inquiry *inquiry, const struct error *error, struct bytes list)
{
    struct error refusal = *error;
    bool too_long = error->code == STATUS_OK && pieces_has_more_fields(pieces_of(&list), inquiry->runtime->list_items);
    if (too_long) {
        runtime_refuse_list(inquiry->runtime, &refusal);
    }
    inquiry->done(inquiry->state, &refusal, too_long ? (struct bytes){0} : list);
}

static void on_ended(void *state)
{
    struct list_inquiry *inquiry = state;
    struct runtime *runtime = inquiry->runtime;
    struct error error = {0};
    if (inquiry->done && inquiry->inflow.status != GRPC_STATUS_OK) {
        explain(inquiry, &error); /* which may cancel the inquiry */
    }
    if (inquiry->done) {
        tell(inquiry, &error, bytes_of(inquiry->list, inquiry->size));
    }
    inflow_release(&inquiry->inflow);
    free(inquiry->list);
    free(inquiry);
    runtime_unref(runtime);
}

static bool open_stream(struct list_inquiry *inquiry)
{
    static const struct inflow_listener listener = {.message = on_message, .ended = on_ended};
    const struct method *stream = inquiry->method->stream;
    struct runtime *runtime = inquiry->runtime;
    if (!stream || !runtime_serves(runtime, stream)) {
        return false;
    }
    grpc_metadata mark = circle_mark();
    const struct inflow_call call = {
        .runtime = runtime,
        .service = stream->service,
        .path = stream->in[runtime->dialect].path,
        .request = grpc_empty_slice(),
        .metadata = &mark,
        .metadata_count = 1,
        .deadline = gpr_inf_future(GPR_CLOCK_MONOTONIC),
        .budget = inquiry->milliseconds,
        .background = true,
    };
    if (!inflow_start(&inquiry->inflow, &call, &listener, inquiry)) {
        return false;
    }
    runtime_ref(runtime);
    inflow_next(&inquiry->inflow);
    return true;
}

static void on_answered(void *state, const struct error *error, struct bytes answer)
{
    struct list_inquiry *inquiry = state;
    inquiry->plain = NULL;
    if (error->code != STATUS_RESOURCE_EXHAUSTED || !open_stream(inquiry)) {
        tell(inquiry, error, answer);
        free(inquiry);
    }
}

struct list_inquiry *list_inquiry_start(struct runtime *runtime, const struct method *method, int64_t milliseconds,
                                        inquiry_done *done, void *state)
{
    struct list_inquiry *inquiry = calloc(1, sizeof *inquiry);
    if (!inquiry) {
        return NULL;
    }
    *inquiry =
        (struct list_inquiry){.runtime = runtime, .method = method, .milliseconds = milliseconds, .done = done, .state = state};
    inquiry->plain = inquiry_start(&runtime->upstream, method->in[runtime->dialect].path, (struct bytes){0}, milliseconds,
                                   on_answered, inquiry);
    if (!inquiry->plain) {
        free(inquiry);
        return NULL;
    }
    return inquiry;
}

void list_inquiry_cancel(struct list_inquiry *inquiry)
{
    if (inquiry->plain) {
        inquiry_cancel(inquiry->plain);
        free(inquiry);
        return;
    }
    inquiry->done = NULL;
    inflow_cancel(&inquiry->inflow);
}
