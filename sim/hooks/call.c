#include "sim/hooks/call.h"

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

struct hook_call {
    struct served_call served;
    const struct hook *hook;   /* NULL: an unknown method */
    struct hook_answer answer; /* its message is empty at first: a cleared slice */
    unsigned messages_sent;
};

static struct hook_call *call_of(struct served_call *served)
{
    return (struct hook_call *)served;
}

static struct hook_calls *calls_of(const struct hook_call *call)
{
    return (struct hook_calls *)call->served.all;
}

static void clear_call(struct served_call *served)
{
    grpc_slice_unref(call_of(served)->answer.message);
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
    const struct hook_calls *calls = calls_of(call);
    if (!calls->journal) {
        return;
    }
    struct json_object *line = json_object_new_object();
    field_set_text(line, "plugin", calls->options->name);
    field_set_text(line, "hook", call->hook ? call->hook->name : NULL);
    served_call_describe(&call->served, line, call->hook ? call->hook->request : NULL, code, message);
    if (call->hook && strcmp(code, "OK") == 0) {
        put_answer(line, call);
    }
    json_object_object_add(line, "received", json_object_new_int64(call->served.received_at));
    journal_append(calls->journal, line);
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

static void answer_request(struct served_call *served)
{
    struct hook_call *call = call_of(served);
    if (served->over) {
        return;
    }
    struct hook_calls *calls = calls_of(call);
    grpc_slice_unref(call->answer.message);
    hook_answer_make(calls->options, call->hook, sim_bytes_of_slice(&served->request), calls->turn++, &call->answer);
    served->unanswered = false;
    write_outcome(call);
    if (calls->wishes->late && calls->options->lateness > 0) {
        served_call_start_timer(served, calls->options->lateness, send_next);
    } else {
        send_next(served);
    }
}

static void on_received(struct served_call *served)
{
    struct hook_call *call = call_of(served);
    struct hook_options *options = calls_of(call)->options;
    if (!served->has_request) {
        error_set(&call->answer.error, STATUS_INTERNAL, "the request has no message");
        write_outcome(call);
        send_next(served);
        return;
    }
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

static void on_closed(struct served_call *served)
{
    if (served->unanswered) {
        write_journal(call_of(served), status_code_name(STATUS_CANCELLED), "");
    }
}

/* As grpc-go reports it. */
static void refuse_method(struct hook_call *call)
{
    struct bytes path = served_call_method(&call->served);
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

static bool on_arrived(struct served_call *served)
{
    struct hook_call *call = call_of(served);
    call->hook = hook_by_path(calls_of(call)->options->schema, served_call_method(served));
    if (!call->hook) {
        refuse_method(call);
    }
    return call->hook != NULL;
}

const struct served_steps hook_call_steps = {
    .call_size = sizeof(struct hook_call),
    .arrived = on_arrived,
    .received = on_received,
    .sent = send_next,
    .closed = on_closed,
    .clear = clear_call,
};
