#include "sim/hooks/schema.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook_v1alpha1/api.pb-c.h"
#include "sim/common/memory.h"

/* More than the messages and the methods that there are. */
#define MESSAGES_MOST 32
#define HOOKS_MOST 16

#define METHOD_ENDING "Hook"
#define MAP_ENTRY_ENDING "Entry"

struct table {
    const ProtobufCMessageDescriptor *source;
    struct schema_message message;
};

struct hook_schema {
    struct hook hooks[HOOKS_MOST];
    size_t hook_count;
    struct table tables[MESSAGES_MOST];
    size_t table_count;
};

/* "cpu_quota" as "cpuQuota". */
static char *json_name_of(const char *name)
{
    char *out = sim_zeroed(strlen(name) + 1, 1), *end = out;
    for (; *name; name++) {
        if (name[0] == '_' && name[1]) {
            *end++ = (char)toupper((unsigned char)*++name);
        } else {
            *end++ = *name;
        }
    }
    return out;
}

static enum field_type type_of(const ProtobufCFieldDescriptor *source)
{
    switch (source->type) {
    case PROTOBUF_C_TYPE_INT64:
        return FIELD_INT64;
    case PROTOBUF_C_TYPE_UINT32:
        return FIELD_UINT32;
    case PROTOBUF_C_TYPE_UINT64:
        return FIELD_UINT64;
    case PROTOBUF_C_TYPE_STRING:
        return FIELD_STRING;
    case PROTOBUF_C_TYPE_MESSAGE:
        return FIELD_MESSAGE;
    default:
        fprintf(stderr, "hooksim: the type of field %s is unknown\n", source->name);
        abort();
    }
}

static const struct schema_message *message_of(struct hook_schema *schema, const ProtobufCMessageDescriptor *source);

static struct schema_field field_of(struct hook_schema *schema, const ProtobufCFieldDescriptor *source)
{
    struct schema_field field = {
        .name = source->name,
        .json_name = json_name_of(source->name),
        .number = (uint16_t)source->id,
        .type = (uint8_t)type_of(source),
        .repeated = source->label == PROTOBUF_C_LABEL_REPEATED,
    };
    if (source->type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessageDescriptor *message = source->descriptor;
        field.message = message_of(schema, message);
        field.map = field.repeated && string_ends_with(message->short_name, MAP_ENTRY_ENDING);
    }
    return field;
}

/* Descriptors have their fields by ascending number, as tables do. */
static const struct schema_message *message_of(struct hook_schema *schema, const ProtobufCMessageDescriptor *source)
{
    for (size_t i = 0; i < schema->table_count; i++) {
        if (schema->tables[i].source == source) {
            return &schema->tables[i].message;
        }
    }
    if (schema->table_count == MESSAGES_MOST || source->n_fields == 0) {
        abort();
    }
    struct table *table = &schema->tables[schema->table_count++];
    table->source = source;
    uint16_t highest = (uint16_t)source->fields[source->n_fields - 1].id;
    struct schema_field *fields = sim_zeroed(source->n_fields, sizeof *fields);
    uint8_t *position = sim_zeroed((size_t)highest + 1, 1);
    for (unsigned i = 0; i < source->n_fields; i++) {
        fields[i] = field_of(schema, &source->fields[i]);
        position[fields[i].number] = (uint8_t)(i + 1);
    }
    table->message = (struct schema_message){.name = source->short_name,
                                             .field_count = (uint16_t)source->n_fields,
                                             .highest_number = highest,
                                             .fields = fields,
                                             .position = position};
    return &table->message;
}

struct hook_schema *hook_schema_new(void)
{
    const ProtobufCServiceDescriptor *service = &runtime__v1alpha1__runtime_hook_service__descriptor;
    struct hook_schema *schema = sim_zeroed(1, sizeof *schema);
    if (strcmp(service->name, HOOK_SERVICE) != 0 || service->n_methods > HOOKS_MOST) {
        abort();
    }
    for (unsigned i = 0; i < service->n_methods; i++) {
        const ProtobufCMethodDescriptor *method = &service->methods[i];
        schema->hooks[schema->hook_count++] = (struct hook){
            .name = sim_text("%.*s", (int)(strlen(method->name) - strlen(METHOD_ENDING)), method->name),
            .path = sim_text("/%s/%s", service->name, method->name),
            .request = message_of(schema, method->input),
            .response = message_of(schema, method->output),
        };
    }
    return schema;
}

void hook_schema_free(struct hook_schema *schema)
{
    for (size_t i = 0; i < schema->hook_count; i++) {
        free((char *)schema->hooks[i].name);
        free((char *)schema->hooks[i].path);
    }
    for (size_t i = 0; i < schema->table_count; i++) {
        const struct schema_message *message = &schema->tables[i].message;
        for (size_t j = 0; j < message->field_count; j++) {
            free((char *)message->fields[j].json_name);
        }
        free((struct schema_field *)message->fields);
        free((uint8_t *)message->position);
    }
    free(schema);
}

size_t hook_count(const struct hook_schema *schema)
{
    return schema->hook_count;
}

const struct hook *hook_at(const struct hook_schema *schema, size_t index)
{
    return &schema->hooks[index];
}

const struct hook *hook_by_name(const struct hook_schema *schema, struct bytes name)
{
    for (size_t i = 0; i < schema->hook_count; i++) {
        const struct hook *hook = &schema->hooks[i];
        const char *method = strrchr(hook->path, '/') + 1;
        if (bytes_equal(name, bytes_of_string(hook->name)) || bytes_equal(name, bytes_of_string(method))) {
            return hook;
        }
    }
    return NULL;
}

const struct hook *hook_by_path(const struct hook_schema *schema, struct bytes path)
{
    for (size_t i = 0; i < schema->hook_count; i++) {
        if (bytes_equal(path, bytes_of_string(schema->hooks[i].path))) {
            return &schema->hooks[i];
        }
    }
    return NULL;
}
