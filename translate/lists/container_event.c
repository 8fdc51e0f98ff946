#include "translate/lists/container_event.h"

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/schema/method.h"

static const char event_message[] = "ContainerEventResponse";

static const char *const status_methods[ID_KIND_COUNT] = {[ID_POD] = "PodSandboxStatus", [ID_CONTAINER] = "ContainerStatus"};

/* ---- reading ---- */

static bool find_bytes(struct bytes message, const struct schema_message *schema, const char *name, struct bytes *found)
{
    return wire_find_payload(message, schema_number_by_name(schema, name), found);
}

static bool find_number(struct bytes message, const struct schema_message *schema, const char *name, uint64_t *found)
{
    struct wire_field field = {0};
    bool good = wire_find_field(message, schema_number_by_name(schema, name), WIRE_VARINT, &field);
    *found = field.value;
    return good;
}

static bool is_of(const struct schema_message *schema, struct bytes status, struct bytes id, bool *never_started)
{
    struct bytes own;
    uint64_t started_at;
    if (!find_bytes(status, schema, "id", &own) || !bytes_equal(own, id) ||
        !find_number(status, schema, "started_at", &started_at)) {
        return false;
    }
    *never_started = started_at == 0;
    return true;
}

/* Finds the event's own container among the statuses in it. */
static void read_statuses(const struct schema_field *statuses, struct bytes event, struct container_event *read)
{
    struct wire_reader reader = wire_reader_of(event);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number == statuses->number && field.type == WIRE_LENGTH) {
            read->has_statuses = true;
            if (read->stage != STAGE_STOPPED || is_of(statuses->message, field.payload, read->id, &read->never_started)) {
                break;
            }
        }
    }
}

bool container_event_read(enum dialect dialect, struct bytes event, struct container_event *read)
{
    const struct schema_message *schema = schema_message_by_name(dialect, event_message);
    const struct schema_field *pod_status = schema_field_by_name(schema, "pod_sandbox_status");
    const struct schema_field *statuses = schema_field_by_name(schema, "containers_statuses");
    uint64_t stage;
    uint64_t created_at;
    *read = (struct container_event){0};
    if (!pod_status || !statuses || !find_bytes(event, schema, "container_id", &read->id) || read->id.len == 0 ||
        !find_number(event, schema, "container_event_type", &stage) || stage >= STAGE_COUNT ||
        !find_number(event, schema, "created_at", &created_at) ||
        !find_bytes(event, schema, "pod_sandbox_status", &read->pod_status) ||
        !find_bytes(read->pod_status, pod_status->message, "id", &read->pod)) {
        return false;
    }
    read->stage = (enum container_stage)stage;
    read->created_at = (int64_t)created_at;
    read_statuses(statuses, event, read);
    return true;
}

enum container_stage container_stage_of_state(enum id_kind kind, int32_t state)
{
    static const enum container_stage of_pods[] = {STAGE_STARTED, STAGE_STOPPED};
    static const enum container_stage of_containers[] = {STAGE_CREATED, STAGE_STARTED, STAGE_STOPPED};
    const enum container_stage *stages = kind == ID_POD ? of_pods : of_containers;
    size_t count = kind == ID_POD ? sizeof of_pods / sizeof *of_pods : sizeof of_containers / sizeof *of_containers;
    return state >= 0 && (size_t)state < count ? stages[state] : STAGE_CREATED;
}

/* ---- writing ---- */

bool container_event_retell(enum dialect dialect, struct bytes event, enum container_stage stage, struct arena *arena,
                            struct bytes *out)
{
    uint32_t type = schema_number_by_name(schema_message_by_name(dialect, event_message), "container_event_type");
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(event);
    struct wire_field field;
    if (!walk_output_start(&output, arena, event.len)) {
        return false;
    }
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number != type && !walk_output_put(&output, field.start, (size_t)(reader.at - field.start))) {
            return false;
        }
    }
    if (!walk_output_put_number(&output, type, stage)) {
        return false;
    }
    *out = walk_output_finish(&output);
    return true;
}

bool container_event_compose(const struct container_event_parts *parts, struct arena *arena, struct bytes *out)
{
    const struct schema_message *schema = schema_message_by_name(DIALECT_MODEL, event_message);
    uint32_t statuses = schema_number_by_name(schema, "containers_statuses");
    size_t expected = parts->id.len + parts->pod_status.len;
    for (size_t i = 0; i < parts->status_count; i++) {
        expected += parts->statuses[i].len + 8;
    }
    struct walk_output output;
    bool good = walk_output_start(&output, arena, expected) &&
                walk_output_put_field(&output, schema_number_by_name(schema, "container_id"), parts->id) &&
                walk_output_put_number(&output, schema_number_by_name(schema, "container_event_type"), parts->stage) &&
                walk_output_put_number(&output, schema_number_by_name(schema, "created_at"), (uint64_t)parts->created_at);
    if (good && parts->pod_status.len > 0) {
        good = walk_output_put_field(&output, schema_number_by_name(schema, "pod_sandbox_status"), parts->pod_status);
    }
    for (size_t i = 0; good && i < parts->status_count; i++) {
        good = walk_output_put_field(&output, statuses, parts->statuses[i]);
    }
    *out = good ? walk_output_finish(&output) : (struct bytes){0};
    return good;
}

bool container_event_ask(enum id_kind kind, enum dialect dialect, struct bytes id, struct arena *arena, struct bytes *out)
{
    const struct method *method = method_by_name(status_methods[kind]);
    struct walk_output output;
    if (!walk_output_start(&output, arena, id.len + 8) ||
        !walk_output_put_field(&output, method->in[dialect].peeks[kind == ID_POD ? PEEK_POD : PEEK_CONTAINER].numbers[0], id)) {
        return false;
    }
    *out = walk_output_finish(&output);
    return true;
}

/* ---- statuses ---- */

static const struct schema_message *answer_schema(enum id_kind kind)
{
    return method_by_name(status_methods[kind])->in[DIALECT_MODEL].response;
}

struct bytes container_event_status(enum id_kind kind, struct bytes answer)
{
    struct bytes status;
    return find_bytes(answer, answer_schema(kind), "status", &status) ? status : (struct bytes){0};
}

bool container_event_next_status(struct bytes answer, size_t *at, struct bytes *status)
{
    uint32_t number = schema_number_by_name(answer_schema(ID_POD), "containers_statuses");
    struct wire_reader reader = wire_reader_of(bytes_after(answer, *at));
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number == number && field.type == WIRE_LENGTH) {
            *status = field.payload;
            *at = (size_t)(reader.at - answer.data);
            return true;
        }
    }
    return false;
}

bool container_event_is_of(struct bytes status, struct bytes id, bool *never_started)
{
    return is_of(schema_field_by_name(answer_schema(ID_CONTAINER), "status")->message, status, id, never_started);
}

/* ---- a deleted pod ---- */

static bool copy_field(struct walk_output *output, uint32_t number, const struct wire_field *field)
{
    switch (field->type) {
    case WIRE_LENGTH:
        return walk_output_put_field(output, number, field->payload);
    case WIRE_VARINT:
        return walk_output_put_number(output, number, field->value);
    default:
        return true;
    }
}

static const struct schema_field *kept_at_end(const struct schema_message *from, const struct schema_message *to, uint32_t number)
{
    static const char *const names[] = {"id", "metadata", "created_at", "labels", "annotations", "runtime_handler"};
    const struct schema_field *field = schema_field_by_number(from, number);
    for (size_t i = 0; field && i < sizeof names / sizeof *names; i++) {
        if (strcmp(field->name, names[i]) == 0) {
            return schema_field_by_name(to, field->name);
        }
    }
    return NULL;
}

bool container_event_pod_at_end(const struct container_event_pod *pod, struct arena *arena, struct bytes *answer)
{
    enum { NOT_READY = 1 };
    const struct schema_field *status =
        schema_field_by_name(method_by_name(status_methods[ID_POD])->in[pod->dialect].response, "status");
    const struct schema_message *from = schema_message_by_name(pod->dialect, pod->is_item ? "PodSandbox" : "PodSandboxStatus");
    struct wire_reader reader = wire_reader_of(pod->message);
    struct wire_field field;
    struct walk_output output;
    if (!status || !from || !walk_output_start(&output, arena, pod->message.len)) {
        return false;
    }
    size_t opened = walk_output_open(&output, status->number, pod->message.len);
    if (opened == SIZE_MAX) {
        return false;
    }
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        const struct schema_field *kept = kept_at_end(from, status->message, field.number);
        if (kept && !copy_field(&output, kept->number, &field)) {
            return false;
        }
    }
    if (!walk_output_put_number(&output, schema_number_by_name(status->message, "state"), NOT_READY) ||
        !walk_output_close(&output, opened, pod->message.len)) {
        return false;
    }
    *answer = walk_output_finish(&output);
    return true;
}
