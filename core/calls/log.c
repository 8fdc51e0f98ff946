#include "log.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/transport/c_core.h"
#include "translate/json/json.h"
#include "translate/walk/text_table.h"

static struct json_object *string_of(struct bytes text)
{
    return json_object_new_string_len((const char *)text.data, (int)text.len);
}

static void add_message(struct json_object *fields, const char *key, const struct schema_message *message, struct bytes bytes)
{
    struct error error;
    enum json_style style = log_settings()->environment_values ? JSON_LOG_ENVS : JSON_LOG;
    struct json_object *json = json_from_message(message, bytes, style, &error);
    json_object_object_add(fields, key, json ? json : json_object_new_string("(malformed)"));
}

/* Takes the list. */
static void add_unless_empty(struct json_object *fields, const char *key, struct json_object *list)
{
    if (json_object_array_length(list) > 0) {
        json_object_object_add(fields, key, list);
    } else {
        json_object_put(list);
    }
}

/* The runtimes that were asked, what could not be carried to them and from them, and what they ignore of the request. */
static void add_runtimes(struct json_object *fields, const struct call *call)
{
    struct json_object *names = json_object_new_array();
    struct json_object *lost = json_object_new_array();
    struct json_object *ignored = json_object_new_array();
    for (size_t i = 0; call->upstream_calls && i < call->route.count; i++) {
        const struct upstream_call *upstream = &call->upstream_calls[i];
        json_object_array_add(names, json_object_new_string(upstream->seen.runtime->entry->name));
        for (size_t j = 0; upstream->report.dropped + upstream->report.ignored > 0 && j < TRANSLATION_RULE_COUNT; j++) {
            if (upstream->report.rules[j].dropped > 0 || upstream->report.rules[j].let_through > 0) {
                json_object_array_add(lost, json_object_new_string(translation_rules[j].field));
            }
            if (upstream->report.rules[j].ignored > 0) {
                json_object_array_add(ignored, json_object_new_string(translation_rules[j].field));
            }
        }
    }
    json_object_object_add(fields, "runtimes", names);
    add_unless_empty(fields, "not_carried", lost);
    add_unless_empty(fields, "ignored", ignored);
}

static struct json_object *describe(const struct call *call, enum status_code code)
{
    struct json_object *fields = json_object_new_object();
    struct bytes path = transport_slice_bytes(&call->details.method);
    json_object_object_add(fields, "method", string_of(path));
    json_object_object_add(fields, "code", json_object_new_string(status_code_name(code)));
    json_object_object_add(fields, "milliseconds",
                           json_object_new_int64((clock_ns() - call->started) / NANOSECONDS_A_MILLISECOND));
    if (call->downstream) {
        json_object_object_add(fields, "messages", json_object_new_int64((int64_t)call->messages_sent));
    }
    if (call->request.method) {
        add_runtimes(fields, call);
    }
    return fields;
}

void call_log_reply(const struct call *call, enum status_code code, struct bytes details, grpc_byte_buffer *message)
{
    int own_level = call->request.method ? call->request.method->log_level : LOG_CHANGES;
    int level = code == STATUS_OK ? own_level : LOG_FAILED;
    if (!log_enabled(level)) {
        return;
    }
    const struct method *method = call->request.stream ? call->request.stream : call->request.method;
    struct json_object *fields = describe(call, code);
    if (details.len > 0) {
        json_object_object_add(fields, "reason", string_of(details));
    }
    if (method && log_enabled(own_level)) {
        add_message(fields, "request", method->in[call->request.caller].request, call->request.bytes);
        struct bytes response;
        if (message && transport_bytes(message, call->request.arena, &response)) {
            add_message(fields, "response", method->in[call->request.caller].response, response);
        }
    }
    log_fields(level, method ? method->name : "call", fields);
}
