#include "translate/lists/item.h"

#include "translate/bytes/output.h"
#include "translate/schema/field_copy.h"

/* Messages inside messages; a status, the deepest, has five. */
#define MAX_DEPTH 16

static const struct {
    const char *list;
    const char *status;
    const char *create;
} messages[ID_KIND_COUNT] = {
    [ID_POD] = {"ListPodSandboxResponse", "PodSandboxStatusResponse", "RunPodSandboxRequest"},
    [ID_CONTAINER] = {"ListContainersResponse", "ContainerStatusResponse", "CreateContainerRequest"},
};

const struct schema_field *list_items_field(enum id_kind kind, enum dialect dialect)
{
    const struct schema_message *response = schema_message_by_name(dialect, messages[kind].list);
    return response && response->field_count > 0 ? &response->fields[0] : NULL;
}

/* ---- reading ---- */

struct list_items list_items_of_pieces(enum id_kind kind, enum dialect dialect, struct pieces list)
{
    const struct schema_field *field = list_items_field(kind, dialect);
    struct list_items items = {.malformed = field == NULL};
    if (field) {
        items.rest = list;
        items.number = field->number;
        items.fields.id = schema_number_by_name(field->message, "id");
        items.fields.pod_sandbox_id = schema_number_by_name(field->message, "pod_sandbox_id");
        items.fields.state = schema_number_by_name(field->message, "state");
        items.fields.labels = schema_number_by_name(field->message, "labels");
        const struct schema_field *metadata = schema_field_by_name(field->message, "metadata");
        items.fields.metadata_uid = metadata ? schema_number_by_name(metadata->message, "uid") : 0;
        items.fields.metadata = items.fields.metadata_uid != 0 ? metadata->number : 0;
    }
    return items;
}

struct list_items list_items_of(enum id_kind kind, enum dialect dialect, struct bytes list)
{
    struct list_items items = list_items_of_pieces(kind, dialect, (struct pieces){0});
    items.reader = wire_reader_of(list);
    return items;
}

/* The last occurrence counts, as in decoders. */
static bool read_item(const struct list_items *items, struct list_item *item)
{
    struct wire_reader reader = wire_reader_of(item->message);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        enum wire_type expected = WIRE_LENGTH;
        if (field.number == items->fields.id) {
            item->id = field.payload;
        } else if (field.number == items->fields.pod_sandbox_id) {
            item->pod_sandbox_id = field.payload;
        } else if (field.number == items->fields.metadata && field.type == WIRE_LENGTH) {
            item->pod_uid = wire_last_payload(field.payload, items->fields.metadata_uid);
        } else if (field.number == items->fields.state) {
            item->state = (int32_t)(uint32_t)field.value;
            expected = WIRE_VARINT;
        } else {
            continue;
        }
        if (field.type != expected) {
            return false;
        }
    }
    return true;
}

/* Whether there is more to read, in this piece or the next one that is not empty. */
static bool has_more(struct list_items *items)
{
    while (items->reader.at == items->reader.end && items->rest.count > 0) {
        items->reader = wire_reader_of(*items->rest.each);
        items->rest = (struct pieces){.each = items->rest.each + 1, .count = items->rest.count - 1};
    }
    return items->reader.at < items->reader.end;
}

bool list_items_next(struct list_items *items, struct list_item *item)
{
    struct wire_field field;
    while (!items->malformed && has_more(items)) {
        if (!wire_read_field(&items->reader, &field)) {
            items->malformed = true;
        } else if (field.number == items->number) {
            *item = (struct list_item){
                .whole = bytes_of(field.start, (size_t)(items->reader.at - field.start)),
                .message = field.payload,
                .labels = items->fields.labels,
            };
            items->malformed = field.type != WIRE_LENGTH || !read_item(items, item);
            return !items->malformed;
        }
    }
    return false;
}

bool list_cut(struct bytes *list, size_t most, struct bytes *part)
{
    struct wire_reader reader = wire_reader_of(*list);
    struct wire_field field;
    size_t taken = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        size_t with_it = (size_t)(reader.at - list->data);
        if (taken > 0 && with_it > most) {
            break;
        }
        taken = with_it;
    }
    *part = bytes_of(list->data, taken);
    *list = bytes_after(*list, taken);
    return true;
}

bool list_item_of_status(enum id_kind kind, enum dialect dialect, struct bytes response, struct bytes *id, int32_t *state)
{
    const struct schema_field *status = schema_field_by_name(schema_message_by_name(dialect, messages[kind].status), "status");
    if (!status) {
        return false;
    }
    struct list_items items = {
        .reader = wire_reader_of(response),
        .number = status->number,
        .fields = {.id = schema_number_by_name(status->message, "id"), .state = schema_number_by_name(status->message, "state")},
    };
    struct list_item item = {0};
    while (list_items_next(&items, &item)) {
        *id = item.id;
        *state = item.state;
    }
    return !items.malformed && item.id.len > 0;
}

/* ---- composing ---- */

static bool malformed_request(struct error *error)
{
    return error_set(error, STATUS_INVALID_ARGUMENT, "the request is malformed");
}

static bool no_room(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "not enough memory for the item of a list");
}

/* A new item's state is zero: nothing is written for it. */
static bool put_own_fields(struct walk_output *output, const struct schema_message *item, struct bytes id, int64_t created_at)
{
    return walk_output_put_field(output, schema_number_by_name(item, "id"), id) &&
           walk_output_put_number(output, schema_number_by_name(item, "created_at"), (uint64_t)created_at);
}

bool list_item_compose(enum id_kind kind, enum dialect dialect, struct bytes request, struct bytes id, int64_t created_at,
                       struct arena *arena, struct bytes *list, struct error *error)
{
    static const char *const of_request[] = {"pod_sandbox_id", "runtime_handler", NULL};
    static const char *const of_config[] = {"metadata", "image", "labels", "annotations", NULL};
    const struct schema_field *items = list_items_field(kind, dialect);
    const struct schema_message *from = schema_message_by_name(dialect, messages[kind].create);
    const struct schema_field *config_field = schema_field_by_name(from, "config");
    struct bytes config = {0};
    if (!items || !config_field || !wire_find_payload(request, config_field->number, &config)) {
        return malformed_request(error);
    }
    struct walk_output output;
    size_t expected = config.len + id.len;
    size_t opened;
    if (!walk_output_start(&output, arena, expected) ||
        (opened = walk_output_open(&output, items->number, expected)) == SIZE_MAX ||
        !put_own_fields(&output, items->message, id, created_at)) {
        return no_room(error);
    }
    const struct field_copy outer = {.from = from, .to = items->message, .names = of_request};
    const struct field_copy inner = {.from = config_field->message, .to = items->message, .names = of_config};
    if (!field_copy_run(&outer, request, &output, error) || !field_copy_run(&inner, config, &output, error)) {
        return error_wrap(error, "the item of a list");
    }
    if (!walk_output_close(&output, opened, expected)) {
        return no_room(error);
    }
    *list = walk_output_finish(&output);
    return true;
}

/* ---- checking ---- */

static bool is_well_formed(const struct schema_message *message, struct bytes bytes, unsigned depth)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field occurrence;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &occurrence)) {
            return false;
        }
        const struct schema_field *field = schema_field_by_number(message, occurrence.number);
        if (!field) {
            continue;
        }
        bool packed = field->repeated && occurrence.type == WIRE_LENGTH;
        if (occurrence.type != schema_wire_type(field) && !packed) {
            return false;
        }
        if (field->type == FIELD_MESSAGE &&
            (depth == MAX_DEPTH || !is_well_formed(field->message, occurrence.payload, depth + 1))) {
            return false;
        }
    }
    return true;
}

bool list_is_well_formed(enum id_kind kind, enum dialect dialect, struct bytes list)
{
    const struct schema_message *message = schema_message_by_name(dialect, messages[kind].list);
    return message && is_well_formed(message, list, 0);
}

bool status_is_well_formed(enum id_kind kind, enum dialect dialect, struct bytes response)
{
    const struct schema_message *message = schema_message_by_name(dialect, messages[kind].status);
    return message && is_well_formed(message, response, 0);
}
