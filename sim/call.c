#include "sim/call.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/common/grpc_server.h"
#include "sim/events.h"
#include "sim/journal.h"

struct call {
    struct calls *calls;
    struct listener *listener;
    grpc_call *grpc_call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    int64_t timeout; /* milliseconds that the caller gave, negative without a deadline */

    struct operation arrived;
    struct operation closed;
    struct operation received;
    struct operation sent;
    unsigned references; /* pending operations, including the timer */

    struct target target;
    grpc_byte_buffer *request_buffer;
    grpc_slice request;
    struct answer answer;
    size_t messages_sent;
    bool headers_sent;
    bool status_sent;
    bool sending;
    bool over;       /* finished, or the caller has gone */
    bool unanswered; /* not in the journal yet, or only as pending */
    int cancelled;

    struct call *next_timer;
    gpr_timespec due;
    void (*on_time)(struct call *call);
    struct call *next_subscriber;
};

static void call_release(struct call *call)
{
    if (--call->references > 0) {
        return;
    }
    call->calls->alive--;
    answer_clear(&call->answer);
    grpc_slice_unref(call->request);
    grpc_byte_buffer_destroy(call->request_buffer);
    if (call->grpc_call) {
        grpc_call_unref(call->grpc_call);
    }
    grpc_call_details_destroy(&call->details);
    grpc_metadata_array_destroy(&call->metadata);
    free(call);
}

/* Starts a batch, which holds a reference; false if the library refuses it. */
static bool start_batch(struct call *call, const grpc_op *operations, size_t count, struct operation *tag)
{
    call->references++;
    if (grpc_call_start_batch(call->grpc_call, operations, count, tag, NULL) == GRPC_CALL_OK) {
        return true;
    }
    call_release(call);
    return false;
}

static bool is_streamed_list(const struct call *call)
{
    return call->target.handler && call->target.handler->list_field;
}

static void write_journal(const struct call *call, bool with_request, const char *code, const char *message)
{
    if (!call->calls->journal) {
        return;
    }
    struct bytes request = sim_bytes_of_slice(&call->request);
    const struct method *method = call->target.method;
    struct journal_entry entry = {
        .path = sim_bytes_of_slice(&call->details.method),
        .request_schema = with_request ? method->in[call->target.dialect].request : NULL,
        .request = with_request ? &request : NULL,
        .metadata = &call->metadata,
        .timeout = call->timeout,
        .code = code,
        .message = message,
        .sent = is_streamed_list(call) ? (int64_t)call->messages_sent : -1,
        .made = call->answer.made,
    };
    journal_write(call->calls->journal, &entry);
}

static void start_timer(struct call *call, unsigned milliseconds, void (*on_time)(struct call *call))
{
    call->references++;
    call->on_time = on_time;
    call->due = sim_from_now(milliseconds);
    struct call **place = &call->calls->timers;
    while (*place && gpr_time_cmp((*place)->due, call->due) <= 0) {
        place = &(*place)->next_timer;
    }
    call->next_timer = *place;
    *place = call;
}

void calls_run_timers(struct calls *calls, gpr_timespec now)
{
    while (calls->timers && gpr_time_cmp(calls->timers->due, now) <= 0) {
        struct call *call = calls->timers;
        calls->timers = call->next_timer;
        call->on_time(call);
        call_release(call);
    }
}

gpr_timespec calls_next_timer(const struct calls *calls, gpr_timespec latest)
{
    return calls->timers ? gpr_time_min(calls->timers->due, latest) : latest;
}

void calls_drop_timers(struct calls *calls)
{
    while (calls->timers) {
        struct call *call = calls->timers;
        calls->timers = call->next_timer;
        call_release(call);
    }
}

/* The text of the status; with --oversize, a failing method has a long one. */
static grpc_slice status_text(const struct call *call)
{
    const struct error *error = &call->answer.error;
    const struct method *method = call->target.method;
    const struct method_rule *oversize = method ? service_rule(call->calls->service, method, RULE_OVERSIZE) : NULL;
    size_t length = strlen(error->message);
    if (error->code == STATUS_OK || !oversize || oversize->bytes <= length) {
        return grpc_slice_from_copied_string(error->message);
    }
    grpc_slice text = grpc_slice_malloc(oversize->bytes);
    memset(GRPC_SLICE_START_PTR(text), 'x', oversize->bytes);
    memcpy(GRPC_SLICE_START_PTR(text), error->message, length);
    return text;
}

/* Sends the next batch: the headers with the first one, one message each, the status with the last one unless events may follow.
 */
static void send_next(struct call *call)
{
    bool has_message = call->messages_sent < call->answer.message_count;
    bool stays_open = call->answer.stays_open || call->answer.stalls;
    if (call->sending || call->status_sent || call->over || (call->headers_sent && stays_open && !has_message)) {
        return;
    }
    grpc_op operations[3] = {0};
    size_t count = 0;
    grpc_byte_buffer *buffer = NULL;
    if (!call->headers_sent) {
        call->headers_sent = true;
        operations[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
    }
    if (has_message) {
        buffer = grpc_raw_byte_buffer_create(&call->answer.messages[call->messages_sent++], 1);
        operations[count].op = GRPC_OP_SEND_MESSAGE;
        operations[count++].data.send_message.send_message = buffer;
    }
    grpc_slice details = status_text(call);
    if (call->messages_sent == call->answer.message_count && !stays_open) {
        call->status_sent = true;
        operations[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
        operations[count].data.send_status_from_server.status = (grpc_status_code)call->answer.error.code;
        operations[count++].data.send_status_from_server.status_details = &details;
    }
    call->sending = start_batch(call, operations, count, &call->sent);
    grpc_slice_unref(details);
    grpc_byte_buffer_destroy(buffer);
}

static void on_sent(struct call *call, bool good)
{
    call->sending = false;
    if (!good) {
        call->over = true;
    }
    if (call->answer.stays_open && call->messages_sent == call->answer.message_count) {
        answer_clear(&call->answer);
        call->answer.stays_open = true;
        call->messages_sent = 0;
    }
    send_next(call);
}

static void tell_kept(struct call *call);

static void answer_request(struct call *call)
{
    if (call->over) {
        return;
    }
    struct calls *calls = call->calls;
    service_answer(calls->service, &call->target, sim_bytes_of_slice(&call->request), &call->answer);
    call->unanswered = is_streamed_list(call); /* logged at its end, which shows how far it came */
    events_flush(calls->events);
    if (!call->unanswered) {
        write_journal(call, true, status_code_name(call->answer.error.code), call->answer.error.message);
    }
    if (call->answer.stays_open) {
        call->next_subscriber = calls->subscribers;
        calls->subscribers = call;
        tell_kept(call);
    }
    unsigned delay = call->answer.delay + (*calls->late ? calls->service->options->lateness : 0);
    if (delay > 0) {
        start_timer(call, delay, send_next);
    } else {
        send_next(call);
    }
}

enum { HELD_LOOK_MILLISECONDS = 20 };

/* Answers as soon as there is the file that the call is held for. */
static void answer_held(struct call *call)
{
    const struct method_rule *hold = service_rule(call->calls->service, call->target.method, RULE_HOLD);
    if (call->over || access(hold->file, F_OK) == 0) {
        answer_request(call);
    } else {
        start_timer(call, HELD_LOOK_MILLISECONDS, answer_held);
    }
}

static void on_received(struct call *call, bool good)
{
    if (!good || !call->request_buffer) {
        error_set(&call->answer.error, STATUS_INTERNAL, "the request has no message");
        write_journal(call, false, status_code_name(STATUS_INTERNAL), call->answer.error.message);
        send_next(call);
        return;
    }
    call->request = sim_slice_of_buffer(call->request_buffer);
    call->unanswered = true;
    struct cri_service *service = call->calls->service;
    const struct method_rule *slow = service_rule(service, call->target.method, RULE_SLOW);
    unsigned latency = service->options->latency + (slow ? slow->milliseconds : 0);
    if (service_rule(service, call->target.method, RULE_HANG)) {
        write_journal(call, true, "PENDING", "");
    } else if (service_rule(service, call->target.method, RULE_HOLD)) {
        answer_held(call);
    } else if (latency > 0) {
        start_timer(call, latency, answer_request);
    } else {
        answer_request(call);
    }
}

/* The call is over: it was answered, its caller has disconnected, or its deadline has passed. */
static void on_closed(struct call *call, bool good)
{
    (void)good;
    call->over = true;
    if (call->unanswered) {
        bool ended = call->status_sent && !call->cancelled;
        write_journal(call, true, status_code_name(ended ? call->answer.error.code : STATUS_CANCELLED), "");
    }
    for (struct call **place = &call->calls->subscribers; *place; place = &(*place)->next_subscriber) {
        if (*place == call) {
            *place = call->next_subscriber;
            return;
        }
    }
}

static void on_arrived(struct call *call, bool good)
{
    if (!good) {
        return; /* the server shuts down */
    }
    call_await(call->calls, call->listener);
    if (call->calls->journal) {
        call->timeout = sim_milliseconds_until(call->details.deadline);
    }
    grpc_op closed = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->cancelled};
    start_batch(call, &closed, 1, &call->closed);
    struct calls *calls = call->calls;
    if (!service_find(calls->service, sim_bytes_of_slice(&call->details.method), call->listener->offered, &call->target,
                      &call->answer.error)) {
        write_journal(call, false, status_code_name(call->answer.error.code), call->answer.error.message);
        send_next(call);
        return;
    }
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request_buffer};
    start_batch(call, &receive, 1, &call->received);
}

void call_await(struct calls *calls, struct listener *listener)
{
    struct call *call = calloc(1, sizeof *call);
    if (!call) {
        abort();
    }
    call->calls = calls;
    call->listener = listener;
    call->timeout = -1;
    call->arrived = (struct operation){on_arrived, call};
    call->closed = (struct operation){on_closed, call};
    call->received = (struct operation){on_received, call};
    call->sent = (struct operation){on_sent, call};
    call->request = grpc_empty_slice();
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->metadata);
    call->references = 1;
    calls->alive++;
    if (grpc_server_request_call(listener->server, &call->grpc_call, &call->details, &call->metadata, calls->queue, calls->queue,
                                 &call->arrived) != GRPC_CALL_OK) {
        call_release(call);
    }
}

void call_event(void *tag, bool good)
{
    struct operation *operation = tag;
    struct call *call = operation->call;
    if (call) {
        operation->done(call, good);
        call_release(call);
    }
}

/* Messages that have been sent make room for others. */
static void forget_sent(struct call *call)
{
    struct answer *answer = &call->answer;
    for (size_t i = 0; i < call->messages_sent; i++) {
        grpc_slice_unref(answer->messages[i]);
    }
    answer->message_count -= call->messages_sent;
    memmove(answer->messages, answer->messages + call->messages_sent, answer->message_count * sizeof *answer->messages);
    call->messages_sent = 0;
}

static void send_event(struct call *call, grpc_slice event)
{
    if (call->messages_sent >= 128) {
        forget_sent(call);
    }
    answer_add(&call->answer, event);
    send_next(call);
}

static void tell_kept(struct call *call)
{
    struct json_object *kept = call->calls->events->kept;
    for (size_t i = 0; kept && i < json_object_array_length(kept); i++) {
        grpc_slice encoded;
        if (service_encode(&call->target, json_object_array_get_idx(kept, i), &encoded, &call->answer.error)) {
            send_event(call, encoded);
        }
    }
}

void calls_send_encoded(struct calls *calls, grpc_slice event)
{
    for (struct call *call = calls->subscribers; call; call = call->next_subscriber) {
        send_event(call, grpc_slice_ref(event));
    }
    grpc_slice_unref(event);
}

size_t calls_most_waiting(const struct calls *calls)
{
    size_t most = 0;
    for (const struct call *call = calls->subscribers; call; call = call->next_subscriber) {
        size_t waiting = call->answer.message_count - call->messages_sent;
        most = waiting > most ? waiting : most;
    }
    return most;
}

void calls_drop_subscribers(struct calls *calls)
{
    while (calls->subscribers) {
        struct call *call = calls->subscribers;
        calls->subscribers = call->next_subscriber;
        answer_clear(&call->answer);
        call->messages_sent = 0;
        error_set(&call->answer.error, STATUS_UNAVAILABLE, "told to drop the stream");
        send_next(call);
    }
}

void calls_send_event(struct calls *calls, struct json_object *event)
{
    for (struct call *call = calls->subscribers; call; call = call->next_subscriber) {
        grpc_slice encoded;
        if (service_encode(&call->target, event, &encoded, &call->answer.error)) {
            send_event(call, encoded);
        }
    }
}
