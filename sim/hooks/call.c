#include "sim/hooks/call.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/common/fields.h"
#include "sim/common/grpc_server.h"
#include "sim/common/journal_line.h"
#include "sim/hooks/answer.h"

/* A longer answer is in the journal by its size only. */
#define JOURNAL_ANSWER_MOST ((size_t)1 << 20)

/* Exit status of a process that was told to die. */
#define STATUS_DIED 3

/* An operation of a call; its address is the tag on the completion queue. */
struct operation {
    void (*done)(struct hook_call *call, bool good);
    struct hook_call *call;
};

struct hook_call {
    struct hook_calls *calls;
    grpc_call *grpc_call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    int64_t timeout;     /* milliseconds that the caller gave, negative without a deadline */
    int64_t received_at; /* nanoseconds of the monotonic clock */

    struct operation arrived;
    struct operation closed;
    struct operation received;
    struct operation sent;
    unsigned references; /* pending operations, including the timer */

    const struct hook *hook; /* NULL: an unknown method */
    grpc_byte_buffer *request_buffer;
    grpc_slice request;
    bool has_request;
    struct hook_answer answer;
    unsigned messages_sent;
    bool headers_sent;
    bool status_sent;
    bool over;       /* finished, or the caller has gone */
    bool unanswered; /* not in the journal yet, or only as pending */
    int cancelled;

    struct hook_call *next_timer;
    gpr_timespec due;
    void (*on_time)(struct hook_call *call);
};

static void call_release(struct hook_call *call)
{
    if (--call->references > 0) {
        return;
    }
    call->calls->alive--;
    grpc_slice_unref(call->answer.message);
    grpc_slice_unref(call->request);
    grpc_byte_buffer_destroy(call->request_buffer);
    if (call->grpc_call) {
        grpc_call_unref(call->grpc_call);
    }
    grpc_call_details_destroy(&call->details);
    grpc_metadata_array_destroy(&call->metadata);
    free(call);
}

/* Starts a batch, which holds a reference. */
static void start_batch(struct hook_call *call, const grpc_op *operations, size_t count, struct operation *tag)
{
    if (grpc_call_start_batch(call->grpc_call, operations, count, tag, NULL) == GRPC_CALL_OK) {
        call->references++; /* its end is seen in this thread, later */
    }
}

static void put_request(struct json_object *line, const struct hook_call *call)
{
    struct bytes request = sim_bytes_of_slice(&call->request);
    journal_put_message(line, "request", call->hook ? call->hook->request : NULL, call->has_request ? &request : NULL);
    journal_put_metadata(line, &call->metadata);
    if (call->timeout >= 0) {
        json_object_object_add(line, "timeout_ms", json_object_new_int64(call->timeout));
    }
    if (call->hook && call->has_request) {
        uint32_t unknown = unknown_field_count(call->hook->request, request);
        json_object_object_add(line, "unknown_fields", json_object_new_int64(unknown));
        field_set_bytes(line, "request_base64", request.data, request.len);
    }
}

static void put_answer(struct json_object *line, const struct hook_call *call)
{
    struct bytes message = sim_bytes_of_slice(&call->answer.message);
    bool shown = message.len <= JOURNAL_ANSWER_MOST;
    journal_put_message(line, "response", call->hook->response, shown ? &message : NULL);
    json_object_object_add(line, "response_size", json_object_new_uint64(message.len));
    if (shown) {
        field_set_bytes(line, "response_base64", message.data, message.len);
    }
}

static void write_journal(const struct hook_call *call, const char *code, const char *message)
{
    if (!call->calls->journal) {
        return;
    }
    struct json_object *line = json_object_new_object();
    struct bytes path = sim_bytes_of_slice(&call->details.method);
    field_set_text(line, "plugin", call->calls->options->name);
    field_set_text(line, "hook", call->hook ? call->hook->name : NULL);
    json_object_object_add(line, "method", json_object_new_string_len((const char *)path.data, (int)path.len));
    put_request(line, call);
    field_set_text(line, "code", code);
    field_set_text(line, "message", message);
    if (call->hook && strcmp(code, "OK") == 0) {
        put_answer(line, call);
    }
    json_object_object_add(line, "received", json_object_new_int64(call->received_at));
    journal_append(call->calls->journal, line);
}

static void write_outcome(const struct hook_call *call)
{
    write_journal(call, status_code_name(call->answer.error.code), call->answer.error.message);
}

static void start_timer(struct hook_call *call, unsigned milliseconds, void (*on_time)(struct hook_call *call))
{
    call->references++;
    call->on_time = on_time;
    call->due = sim_from_now(milliseconds);
    struct hook_call **place = &call->calls->timers;
    while (*place && gpr_time_cmp((*place)->due, call->due) <= 0) {
        place = &(*place)->next_timer;
    }
    call->next_timer = *place;
    *place = call;
}

void hook_calls_run_timers(struct hook_calls *calls, gpr_timespec now)
{
    while (calls->timers && gpr_time_cmp(calls->timers->due, now) <= 0) {
        struct hook_call *call = calls->timers;
        calls->timers = call->next_timer;
        call->on_time(call);
        call_release(call);
    }
}

gpr_timespec hook_calls_next_timer(const struct hook_calls *calls, gpr_timespec latest)
{
    return calls->timers ? gpr_time_min(calls->timers->due, latest) : latest;
}

void hook_calls_drop_timers(struct hook_calls *calls)
{
    while (calls->timers) {
        struct hook_call *call = calls->timers;
        calls->timers = call->next_timer;
        call_release(call);
    }
}

/* Sends the next batch: the headers with the first one, one message each, the status with the last one. */
static void send_next(struct hook_call *call)
{
    if (call->status_sent || call->over) {
        return;
    }
    unsigned copies = call->answer.error.code == STATUS_OK ? call->answer.copies : 0;
    grpc_op operations[3] = {0};
    size_t count = 0;
    grpc_byte_buffer *buffer = NULL;
    if (!call->headers_sent) {
        call->headers_sent = true;
        operations[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
    }
    if (call->messages_sent < copies) {
        call->messages_sent++;
        buffer = grpc_raw_byte_buffer_create(&call->answer.message, 1);
        operations[count].op = GRPC_OP_SEND_MESSAGE;
        operations[count++].data.send_message.send_message = buffer;
    }
    grpc_slice details = grpc_slice_from_copied_string(call->answer.error.message);
    if (call->messages_sent == copies) {
        call->status_sent = true;
        operations[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
        operations[count].data.send_status_from_server.status = (grpc_status_code)call->answer.error.code;
        operations[count++].data.send_status_from_server.status_details = &details;
    }
    start_batch(call, operations, count, &call->sent);
    grpc_slice_unref(details);
    grpc_byte_buffer_destroy(buffer);
}

static void on_sent(struct hook_call *call, bool good)
{
    call->over = call->over || !good;
    send_next(call);
}

static void answer_request(struct hook_call *call)
{
    if (call->over) {
        return;
    }
    struct hook_calls *calls = call->calls;
    grpc_slice_unref(call->answer.message);
    hook_answer_make(calls->options, call->hook, sim_bytes_of_slice(&call->request), calls->turn++, &call->answer);
    call->unanswered = false;
    write_outcome(call);
    if (*calls->late && calls->options->lateness > 0) {
        start_timer(call, calls->options->lateness, send_next);
    } else {
        send_next(call);
    }
}

static void on_received(struct hook_call *call, bool good)
{
    struct hook_options *options = call->calls->options;
    if (!good || !call->request_buffer) {
        error_set(&call->answer.error, STATUS_INTERNAL, "the request has no message");
        write_outcome(call);
        send_next(call);
        return;
    }
    call->request = sim_slice_of_buffer(call->request_buffer);
    call->has_request = true;
    call->unanswered = true;
    if (hook_options_dies(options, call->hook)) {
        write_journal(call, "DIED", "");
        _exit(STATUS_DIED);
    }
    const struct hook_rule *delay = hook_options_rule(options, call->hook, HOOK_RULE_DELAY);
    if (hook_options_rule(options, call->hook, HOOK_RULE_HANG)) {
        write_journal(call, "PENDING", "");
    } else if (delay) {
        start_timer(call, delay->number, answer_request);
    } else {
        answer_request(call);
    }
}

/* The call is over: it was answered, its caller has disconnected, or its deadline has passed. */
static void on_closed(struct hook_call *call, bool good)
{
    (void)good;
    call->over = true;
    if (call->unanswered) {
        write_journal(call, status_code_name(STATUS_CANCELLED), "");
    }
}

/* As grpc-go reports it. */
static void refuse_method(struct hook_call *call)
{
    struct bytes path = sim_bytes_of_slice(&call->details.method);
    struct bytes start = bytes_of_string("/" HOOK_SERVICE "/");
    if (bytes_start_with(path, start)) {
        struct bytes method = bytes_after(path, start.len);
        error_set(&call->answer.error, STATUS_UNIMPLEMENTED, "unknown method %.*s for service " HOOK_SERVICE,
                  BYTES_SHOWN(method, 256));
    } else {
        error_set(&call->answer.error, STATUS_UNIMPLEMENTED, "unknown service in %.*s", BYTES_SHOWN(path, 256));
    }
    write_outcome(call);
    send_next(call);
}

static void on_arrived(struct hook_call *call, bool good)
{
    if (!good) {
        return; /* the server shuts down */
    }
    hook_call_await(call->calls);
    call->received_at = journal_clock();
    call->timeout = sim_milliseconds_until(call->details.deadline);
    grpc_op closed = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER, .data.recv_close_on_server.cancelled = &call->cancelled};
    start_batch(call, &closed, 1, &call->closed);
    call->hook = hook_by_path(call->calls->options->schema, sim_bytes_of_slice(&call->details.method));
    if (!call->hook) {
        refuse_method(call);
        return;
    }
    grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->request_buffer};
    start_batch(call, &receive, 1, &call->received);
}

void hook_call_await(struct hook_calls *calls)
{
    struct hook_call *call = calloc(1, sizeof *call);
    if (!call) {
        abort();
    }
    call->calls = calls;
    call->timeout = -1;
    call->arrived = (struct operation){on_arrived, call};
    call->closed = (struct operation){on_closed, call};
    call->received = (struct operation){on_received, call};
    call->sent = (struct operation){on_sent, call};
    call->request = grpc_empty_slice();
    call->answer.message = grpc_empty_slice();
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->metadata);
    call->references = 1;
    calls->alive++;
    if (grpc_server_request_call(calls->server, &call->grpc_call, &call->details, &call->metadata, calls->queue, calls->queue,
                                 &call->arrived) != GRPC_CALL_OK) {
        call_release(call);
    }
}

void hook_call_event(void *tag, bool good)
{
    struct operation *operation = tag;
    struct hook_call *call = operation->call;
    operation->done(call, good);
    call_release(call);
}
