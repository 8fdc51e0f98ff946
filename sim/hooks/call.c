#include "sim/hooks/call.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/common/fields.h"
#include "sim/common/grpc_server.h"
#include "sim/common/journal_line.h"
#include "sim/common/memory.h"
#include "sim/hooks/answer.h"

/* A longer answer is in the journal by its size only. */
#define JOURNAL_ANSWER_MOST ((size_t)1 << 20)

/* Exit status of a process that was told to die. */
#define STATUS_DIED 3

struct hook_call {
    struct served_call served;
    struct hook_calls *calls;
    int64_t timeout;         /* milliseconds that the caller gave, negative without a deadline */
    int64_t received_at;     /* nanoseconds of the monotonic clock */
    const struct hook *hook; /* NULL: an unknown method */
    bool has_request;
    struct hook_answer answer;
    unsigned messages_sent;
};

static struct hook_call *call_of(struct served_call *served)
{
    return (struct hook_call *)served;
}

static void clear_call(struct served_call *served)
{
    grpc_slice_unref(call_of(served)->answer.message);
}

static void put_request(struct json_object *line, const struct hook_call *call)
{
    struct bytes request = sim_bytes_of_slice(&call->served.request);
    journal_put_message(line, "request", call->hook ? call->hook->request : NULL, call->has_request ? &request : NULL);
    journal_put_metadata(line, &call->served.metadata);
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
    struct bytes path = sim_bytes_of_slice(&call->served.details.method);
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

/* Sends the next batch: one message each, the status with the last one. */
static void send_next(struct served_call *served)
{
    struct hook_call *call = call_of(served);
    if (served->status_sent || served->over) {
        return;
    }
    unsigned copies = call->answer.error.code == STATUS_OK ? call->answer.copies : 0;
    grpc_slice *message = call->messages_sent < copies ? &call->answer.message : NULL;
    call->messages_sent += message != NULL;
    grpc_slice details = grpc_slice_from_copied_string(call->answer.error.message);
    served_call_send(served, message, call->answer.error.code, call->messages_sent == copies ? &details : NULL);
    grpc_slice_unref(details);
}

static void on_sent(struct served_call *served, bool good)
{
    served->over = served->over || !good;
    send_next(served);
}

static void answer_request(struct served_call *served)
{
    struct hook_call *call = call_of(served);
    if (served->over) {
        return;
    }
    struct hook_calls *calls = call->calls;
    grpc_slice_unref(call->answer.message);
    hook_answer_make(calls->options, call->hook, sim_bytes_of_slice(&served->request), calls->turn++, &call->answer);
    served->unanswered = false;
    write_outcome(call);
    if (*calls->late && calls->options->lateness > 0) {
        served_call_start_timer(served, calls->options->lateness, send_next);
    } else {
        send_next(served);
    }
}

static void on_received(struct served_call *served, bool good)
{
    struct hook_call *call = call_of(served);
    struct hook_options *options = call->calls->options;
    if (!good || !served->request_buffer) {
        error_set(&call->answer.error, STATUS_INTERNAL, "the request has no message");
        write_outcome(call);
        send_next(served);
        return;
    }
    served->request = sim_slice_of_buffer(served->request_buffer);
    call->has_request = true;
    served->unanswered = true;
    if (hook_options_dies(options, call->hook)) {
        write_journal(call, "DIED", "");
        _exit(STATUS_DIED);
    }
    const struct rule *delay = hook_options_rule(options, call->hook, HOOK_RULE_DELAY);
    if (hook_options_rule(options, call->hook, HOOK_RULE_HANG)) {
        write_journal(call, "PENDING", "");
    } else if (delay) {
        served_call_start_timer(served, delay->number, answer_request);
    } else {
        answer_request(served);
    }
}

/* The call is over: it was answered, its caller has disconnected, or its deadline has passed. */
static void on_closed(struct served_call *served, bool good)
{
    struct hook_call *call = call_of(served);
    (void)good;
    served->over = true;
    if (served->unanswered) {
        write_journal(call, status_code_name(STATUS_CANCELLED), "");
    }
}

/* As grpc-go reports it. */
static void refuse_method(struct hook_call *call)
{
    struct bytes path = sim_bytes_of_slice(&call->served.details.method);
    struct bytes start = bytes_of_string("/" HOOK_SERVICE "/");
    if (bytes_start_with(path, start)) {
        struct bytes method = bytes_after(path, start.len);
        error_set(&call->answer.error, STATUS_UNIMPLEMENTED, "unknown method %.*s for service " HOOK_SERVICE,
                  BYTES_SHOWN(method, 256));
    } else {
        error_set(&call->answer.error, STATUS_UNIMPLEMENTED, "unknown service in %.*s", BYTES_SHOWN(path, 256));
    }
    write_outcome(call);
    send_next(&call->served);
}

static void on_arrived(struct served_call *served, bool good)
{
    struct hook_call *call = call_of(served);
    if (!good) {
        return; /* the server shuts down */
    }
    hook_call_await(call->calls);
    call->received_at = journal_clock();
    call->timeout = sim_milliseconds_until(served->details.deadline);
    served_call_watch(served);
    call->hook = hook_by_path(call->calls->options->schema, sim_bytes_of_slice(&served->details.method));
    if (!call->hook) {
        refuse_method(call);
        return;
    }
    served_call_receive(served);
}

const struct served_steps hook_call_steps = {
    .arrived = on_arrived,
    .received = on_received,
    .sent = on_sent,
    .closed = on_closed,
    .clear = clear_call,
};

void hook_call_await(struct hook_calls *calls)
{
    struct hook_call *call = sim_zeroed(1, sizeof *call);
    call->calls = calls;
    call->timeout = -1;
    call->answer.message = grpc_empty_slice();
    served_call_await(&call->served, &calls->served, calls->server);
}
