#include "sim/call.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/common/fields.h"
#include "sim/common/grpc_server.h"
#include "sim/common/journal_line.h"
#include "sim/events.h"

struct call {
    struct served_call served;
    struct target target;
    struct answer answer;
    size_t messages_sent;
    bool sending;
    struct call *next_subscriber;
};

static struct call *call_of(struct served_call *served)
{
    return (struct call *)served;
}

static struct calls *calls_of(const struct call *call)
{
    return (struct calls *)call->served.all;
}

static void clear_call(struct served_call *served)
{
    answer_clear(&call_of(served)->answer);
}

static bool is_streamed_list(const struct call *call)
{
    return call->target.handler && call->target.handler->list_field;
}

static void write_journal(const struct call *call, const char *code, const char *message)
{
    FILE *journal = calls_of(call)->journal;
    if (!journal) {
        return;
    }
    struct json_object *line = json_object_new_object();
    const struct method *method = call->target.method;
    const struct schema_message *schema = call->served.has_request ? method->in[call->target.dialect].request : NULL;
    served_call_describe(&call->served, line, schema, code, message);
    field_set_text(line, "made", call->answer.made);
    if (is_streamed_list(call)) {
        json_object_object_add(line, "sent", json_object_new_uint64(call->messages_sent));
    }
    journal_append(journal, line);
}

static void write_outcome(const struct call *call)
{
    write_journal(call, status_code_name(call->answer.error.code), call->answer.error.message);
}

/* The text of the status; with --oversize, a failing method has a long one. */
static grpc_slice status_text(const struct call *call)
{
    const struct error *error = &call->answer.error;
    const struct method *method = call->target.method;
    const struct rule *oversize = method ? service_rule(calls_of(call)->service, method, RULE_OVERSIZE) : NULL;
    size_t length = strlen(error->message);
    if (error->code == STATUS_OK || !oversize || oversize->number <= length) {
        return grpc_slice_from_copied_string(error->message);
    }
    grpc_slice text = grpc_slice_malloc(oversize->number);
    memset(GRPC_SLICE_START_PTR(text), 'x', oversize->number);
    memcpy(GRPC_SLICE_START_PTR(text), error->message, length);
    return text;
}

/* Sends the next batch: one message each, the status with the last one unless events may follow. */
static void send_next(struct served_call *served)
{
    struct call *call = call_of(served);
    bool has_message = call->messages_sent < call->answer.message_count;
    bool stays_open = call->answer.stays_open || call->answer.stalls;
    if (call->sending || served->status_sent || served->over || (served->headers_sent && stays_open && !has_message)) {
        return;
    }
    grpc_slice *message = has_message ? &call->answer.messages[call->messages_sent++] : NULL;
    bool ends = call->messages_sent == call->answer.message_count && !stays_open;
    grpc_slice details = status_text(call);
    call->sending = served_call_send(served, message, call->answer.error.code, ends ? &details : NULL);
    grpc_slice_unref(details);
}

static void on_sent(struct served_call *served)
{
    struct call *call = call_of(served);
    call->sending = false;
    if (call->answer.stays_open && call->messages_sent == call->answer.message_count) {
        answer_clear(&call->answer);
        call->answer.stays_open = true;
        call->messages_sent = 0;
    }
    send_next(served);
}

static void tell_kept(struct call *call);

static void answer_request(struct served_call *served)
{
    struct call *call = call_of(served);
    if (served->over) {
        return;
    }
    struct calls *calls = calls_of(call);
    service_answer(calls->service, &call->target, sim_bytes_of_slice(&served->request), &call->answer);
    served->unanswered = is_streamed_list(call); /* logged at its end, which shows how far it came */
    events_flush(calls->events);
    if (!served->unanswered) {
        write_outcome(call);
    }
    if (call->answer.stays_open) {
        call->next_subscriber = calls->subscribers;
        calls->subscribers = call;
        tell_kept(call);
    }
    unsigned delay = call->answer.delay + (calls->wishes->late ? calls->service->options->lateness : 0);
    if (delay > 0) {
        served_call_start_timer(served, delay, send_next);
    } else {
        send_next(served);
    }
}

enum { HELD_LOOK_MILLISECONDS = 20 };

/* Answers as soon as there is the file that the call is held for. */
static void answer_held(struct served_call *served)
{
    struct call *call = call_of(served);
    const struct rule *hold = service_rule(calls_of(call)->service, call->target.method, RULE_HOLD);
    if (served->over || access(hold->file, F_OK) == 0) {
        answer_request(served);
    } else {
        served_call_start_timer(served, HELD_LOOK_MILLISECONDS, answer_held);
    }
}

static void on_received(struct served_call *served)
{
    struct call *call = call_of(served);
    if (!served->has_request) {
        error_set(&call->answer.error, STATUS_INTERNAL, "the request has no message");
        write_outcome(call);
        send_next(served);
        return;
    }
    struct cri_service *service = calls_of(call)->service;
    const struct rule *slow = service_rule(service, call->target.method, RULE_SLOW);
    unsigned latency = service->options->latency + (slow ? slow->number : 0);
    if (service_rule(service, call->target.method, RULE_HANG)) {
        write_journal(call, "PENDING", "");
    } else if (service_rule(service, call->target.method, RULE_HOLD)) {
        answer_held(served);
    } else if (latency > 0) {
        served_call_start_timer(served, latency, answer_request);
    } else {
        answer_request(served);
    }
}

static void on_closed(struct served_call *served)
{
    struct call *call = call_of(served);
    if (served->unanswered) {
        bool ended = served->status_sent && !served->cancelled;
        write_journal(call, status_code_name(ended ? call->answer.error.code : STATUS_CANCELLED), "");
    }
    for (struct call **place = &calls_of(call)->subscribers; *place; place = &(*place)->next_subscriber) {
        if (*place == call) {
            *place = call->next_subscriber;
            return;
        }
    }
}

static bool on_arrived(struct served_call *served)
{
    struct call *call = call_of(served);
    const struct listener *listener = (const struct listener *)served->socket;
    bool found =
        service_find(calls_of(call)->service, served_call_method(served), listener->offered, &call->target, &call->answer.error);
    if (!found) {
        write_outcome(call);
        send_next(served);
    }
    return found;
}

const struct served_steps call_steps = {
    .call_size = sizeof(struct call),
    .arrived = on_arrived,
    .received = on_received,
    .sent = on_sent,
    .closed = on_closed,
    .clear = clear_call,
};

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
    send_next(&call->served);
}

static void tell_kept(struct call *call)
{
    struct json_object *kept = calls_of(call)->events->kept;
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
        send_next(&call->served);
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
