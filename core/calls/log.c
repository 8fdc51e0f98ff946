#include "log.h"

#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/log/audit.h"
#include "base/log/change.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "base/system/process_name.h"
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
    json_add(fields, key, json ? json : json_object_new_string("(malformed)"));
}

/* Takes the list. */
static void add_unless_empty(struct json_object *fields, const char *key, struct json_object *list)
{
    if (json_count(list) > 0) {
        json_add(fields, key, list);
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
        json_append(names, json_object_new_string(upstream->seen.runtime->entry->name));
        for (size_t j = 0; upstream->report.dropped + upstream->report.ignored > 0 && j < TRANSLATION_RULE_COUNT; j++) {
            if (upstream->report.rules[j].dropped > 0 || upstream->report.rules[j].let_through > 0) {
                json_append(lost, json_object_new_string(translation_rules[j].field));
            }
            if (upstream->report.rules[j].ignored > 0) {
                json_append(ignored, json_object_new_string(translation_rules[j].field));
            }
        }
    }
    json_add(fields, "runtimes", names);
    add_unless_empty(fields, "not_carried", lost);
    add_unless_empty(fields, "ignored", ignored);
}

/* ---- which calls ---- */

static int level_of(const struct call *call)
{
    if (call->is_of_health) {
        return LOG_STATUS;
    }
    return call->request.method ? call->request.method->log_level : LOG_CHANGES;
}

static const struct method *method_of(const struct call *call)
{
    return call->request.stream ? call->request.stream : call->request.method;
}

static bool may_change(const struct call *call)
{
    return !call->request.method || method_changes_state(call->request.method);
}

/* Which the caller owns; NULL: there is none that could be read. */
static struct json_object *request_of(const struct call *call)
{
    struct error error;
    const struct method *method = method_of(call);
    return method ? json_from_message(method->in[call->request.caller].request, call->request.bytes, JSON_LOG, &error) : NULL;
}

static bool goes_to(const struct call *call, const char *name)
{
    for (size_t i = 0; i < call->route.count; i++) {
        if (strcmp(call->request.generation->map->runtimes[call->route.targets[i]].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_meant(const struct call *call, const struct log_change *change)
{
    if (change->runtime[0] != '\0') {
        return goes_to(call, change->runtime);
    }
    if (!log_change_pod_may_be_in(call->request.bytes)) {
        return false;
    }
    struct json_object *request = request_of(call);
    bool meant = log_change_pod_is_in(request);
    json_object_put(request);
    return meant;
}

/* While a pod or a runtime has a different level. Not inlined: each call asks, and has no use for a change on the stack. */
__attribute__((cold, noinline)) static bool is_wanted_narrowly(const struct call *call, int level)
{
    struct log_change change;
    if (!log_change_get(&change)) {
        return log_enabled(level);
    }
    return level <= (is_meant(call, &change) ? change.level : log_settings()->level);
}

/* Whether a line of that level is wanted for this call. */
static bool is_wanted(const struct call *call, int level)
{
    return log_change_is_narrow() ? is_wanted_narrowly(call, level) : log_enabled(level);
}

/* An id that was made, or seen in a list, belongs to the pod whose calls are logged. */
static void learn_pod(const struct call *call, struct bytes response)
{
    struct log_change change;
    struct error error;
    const struct method *method = method_of(call);
    if (method && log_change_is_narrow() && log_change_get(&change) && change.pod[0] != '\0' &&
        (log_change_pod_may_be_in(call->request.bytes) || log_change_pod_may_be_in(response))) {
        struct json_object *request = request_of(call);
        struct json_object *answer = json_from_message(method->in[call->request.caller].response, response, JSON_LOG, &error);
        log_change_learn_pod(request, answer);
        json_object_put(request);
        json_object_put(answer);
    }
}

/* ---- the audit file ---- */

/* Now, as the caller may be gone when it has its answer. */
static void note_caller(struct call *call)
{
    char program[64] = "";
    const struct peer *caller = call->program ? NULL : call_caller(call);
    if (caller) {
        process_name(caller->pid, program, sizeof program);
    }
    if (program[0] != '\0') {
        call->program = arena_string(call->request.arena, bytes_of_string(program));
    }
}

/* What the call is about: names and ids, and nothing that may be a secret. */
static void add_subject(struct json_object *line, struct json_object *request, struct json_object *response)
{
    static const char *const ids[] = {"podSandboxId", "containerId", "image", "imageRef"};
    struct json_object *config = json_member(request, "config");
    if (config) {
        json_add_from(config, "metadata", line, "metadata");
    }
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct json_object *value = json_member(request, ids[i]), *image = json_member(value, "image");
        json_add_from(response, ids[i], line, ids[i]);
        value = image ? image : value;
        if (json_object_is_type(value, json_type_string)) { /* not an image's other fields */
            json_add(line, ids[i], json_object_get(value));
        }
    }
}

static void add_caller(struct json_object *line, struct call *call)
{
    const struct peer *caller = call_caller(call);
    if (caller) {
        struct json_object *object = json_object_new_object();
        json_add(object, "pid", json_object_new_int64(caller->pid));
        json_add(object, "uid", json_object_new_int64(caller->uid));
        if (call->program) {
            json_add(object, "program", json_object_new_string(call->program));
        }
        json_add(line, "caller", object);
    }
}

static int64_t milliseconds_of(const struct call *call)
{
    return (clock_ns() - call->started) / NANOSECONDS_A_MILLISECOND;
}

static void audit(struct call *call, enum status_code code, struct bytes answer)
{
    struct error error;
    char time[LOG_TIME_SIZE];
    const struct method *method = method_of(call);
    struct json_object *line = json_object_new_object();
    struct json_object *runtimes = json_object_new_array();
    log_time(time, sizeof time);
    json_add(line, "time", json_object_new_string(time));
    json_add(line, "call", json_object_new_int64((int64_t)call->id));
    json_add(line, "method",
             method ? json_object_new_string(method->name) : string_of(transport_slice_bytes(&call->details.method)));
    for (size_t i = 0; i < call->route.count; i++) {
        const struct runtime_map *map = call->request.generation->map;
        json_append(runtimes, json_object_new_string(map->runtimes[call->route.targets[i]].name));
    }
    json_add(line, "runtimes", runtimes);
    if (method) {
        struct json_object *request = request_of(call);
        struct json_object *response =
            answer.len > 0 ? json_from_message(method->in[call->request.caller].response, answer, JSON_LOG, &error) : NULL;
        add_subject(line, request, response);
        json_object_put(request);
        json_object_put(response);
    }
    add_caller(line, call);
    json_add(line, "code", json_object_new_string(status_code_name(code)));
    json_add(line, "milliseconds", json_object_new_int64(milliseconds_of(call)));
    audit_add(line);
}

/* ---- lines of the log ---- */

static void add_head(struct json_object *fields, const struct call *call)
{
    json_add(fields, "call", json_object_new_int64((int64_t)call->id));
    json_add(fields, "method", string_of(transport_slice_bytes(&call->details.method)));
}

void call_log_begin(struct call *call)
{
    const struct method *method = method_of(call);
    if (audit_is_on() && may_change(call)) {
        note_caller(call);
    }
    if (call->begin_logged || !is_wanted(call, level_of(call))) {
        return;
    }
    char message[128];
    struct json_object *fields = json_object_new_object();
    call->begin_logged = true;
    add_head(fields, call);
    if (method) {
        add_message(fields, "request", method->in[call->request.caller].request, call->request.bytes);
    }
    snprintf(message, sizeof message, "begin %s", method ? method->name : "call");
    log_write(level_of(call), message, fields);
}

static struct json_object *describe(const struct call *call, enum status_code code)
{
    struct json_object *fields = json_object_new_object();
    add_head(fields, call);
    json_add(fields, "code", json_object_new_string(status_code_name(code)));
    json_add(fields, "milliseconds", json_object_new_int64(milliseconds_of(call)));
    if (call->downstream) {
        json_add(fields, "messages", json_object_new_int64((int64_t)call->messages_sent));
    }
    if (call->request.method) {
        add_runtimes(fields, call);
    }
    return fields;
}

/* Whether crigate refused a call that changes nothing, because a runtime is not there, or because CRI has no such call: probes
   are refused like that, each time. */
static bool is_repeatable(const struct call *call, enum status_code code, struct bytes details)
{
    const struct method *method = call->request.method;
    bool asks = method ? !method_changes_state(method) : call->route.count == 0;
    bool refused = code == STATUS_UNAVAILABLE || code == STATUS_UNIMPLEMENTED || (!method && code == STATUS_INVALID_ARGUMENT);
    return asks && refused && bytes_start_with(details, bytes_of_string("crigate: "));
}

/* Whether a call that has ended has a line at the level of failed calls. `repeated`: how many equal ones had none before it. */
static bool is_news(const struct call *call, enum status_code code, struct bytes details, unsigned *repeated)
{
    struct bytes path = transport_slice_bytes(&call->details.method);
    unsigned target = call->route.count > 0 ? (unsigned)call->route.targets[0] + 1 : 0;
    *repeated = 0;
    return !is_repeatable(call, code, details) ||
           repeats_allow(&call->server->refusals, path, (unsigned)code, target, clock_ns(), repeated);
}

/* `whole`: with what was asked, unless another line has it, and answered. */
static void log_end(const struct call *call, int level, bool whole, enum status_code code, struct bytes details,
                    const struct bytes *response, unsigned repeated)
{
    const struct method *method = method_of(call);
    struct json_object *fields = describe(call, code);
    if (details.len > 0) {
        json_add(fields, "reason", string_of(details));
    }
    if (repeated > 0) {
        json_add(fields, "repeated", json_object_new_int64(repeated));
    }
    if (method && whole && !call->begin_logged) {
        add_message(fields, "request", method->in[call->request.caller].request, call->request.bytes);
    }
    if (method && whole && response) {
        add_message(fields, "response", method->in[call->request.caller].response, *response);
    }
    log_write(level, method ? method->name : "call", fields);
}

void call_log_reply(struct call *call, enum status_code code, struct bytes details, grpc_byte_buffer *message)
{
    call_count(call, code);
    int level = code == STATUS_OK ? level_of(call) : LOG_FAILED;
    bool audited = audit_is_on() && may_change(call) && (call->request.method || call->route.count > 0);
    if (code == STATUS_OK) {
        repeats_forget(&call->server->refusals, transport_slice_bytes(&call->details.method));
    }
    bool wanted = call->begin_logged || is_wanted(call, level);
    if (!audited && !wanted && !log_change_is_narrow()) {
        return;
    }
    struct bytes response = {0};
    bool answered = message && transport_bytes(message, call->request.arena, &response);
    if (answered) {
        learn_pod(call, response);
    }
    if (audited) {
        audit(call, code, response);
    }
    if (wanted) {
        unsigned repeated = 0;
        bool whole = call->begin_logged || is_wanted(call, level_of(call));
        if (whole || is_news(call, code, details, &repeated)) {
            log_end(call, level, whole, code, details, answered ? &response : NULL, repeated);
        }
    }
}

void call_log_unanswered(struct call *call)
{
    static const char why[] = "crigate: the caller is gone";
    call_log_reply(call, STATUS_CANCELLED, bytes_of_string(why), NULL);
}
