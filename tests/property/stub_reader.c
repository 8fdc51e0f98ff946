#include "stub_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/base64.h"
#include "translate/bytes/packing.h"

/* ---- the stubs ---- */

#define DIALECT_STUBS(name)                                                                                                      \
    extern const ProtobufCServiceDescriptor name##__runtime_service__descriptor, name##__image_service__descriptor;
#include "generated/dialect_stubs.def"
#undef DIALECT_STUBS

#define DIALECT_STUBS(name) {&name##__runtime_service__descriptor, &name##__image_service__descriptor},
static const ProtobufCServiceDescriptor *const services[DIALECT_COUNT][2] = {
#include "generated/dialect_stubs.def"
};

const ProtobufCMessageDescriptor *stub_reader_of(const struct trial *trial, enum dialect dialect)
{
    const ProtobufCServiceDescriptor *service = services[dialect][trial->method->service == SERVICE_IMAGE];
    const ProtobufCMethodDescriptor *method = protobuf_c_service_descriptor_get_method_by_name(service, trial->method->name);
    return !method ? NULL : trial->request ? method->input : method->output;
}

unsigned stub_reader_method_count(enum dialect dialect)
{
    return services[dialect][0]->n_methods + services[dialect][1]->n_methods;
}

ProtobufCMessage *stub_reader_decode(const struct trial *trial, enum dialect dialect, struct bytes bytes)
{
    return arena_unpack(trial->arena, stub_reader_of(trial, dialect), bytes);
}

/* ---- values ---- */

/* Of one value in memory; 0 for the types that CRI does not use. */
static const size_t sizes[] = {
    [PROTOBUF_C_TYPE_INT32] = sizeof(int32_t),
    [PROTOBUF_C_TYPE_INT64] = sizeof(int64_t),
    [PROTOBUF_C_TYPE_UINT32] = sizeof(uint32_t),
    [PROTOBUF_C_TYPE_UINT64] = sizeof(uint64_t),
    [PROTOBUF_C_TYPE_DOUBLE] = sizeof(double),
    [PROTOBUF_C_TYPE_BOOL] = sizeof(protobuf_c_boolean),
    [PROTOBUF_C_TYPE_ENUM] = sizeof(int),
    [PROTOBUF_C_TYPE_STRING] = sizeof(char *),
    [PROTOBUF_C_TYPE_BYTES] = sizeof(ProtobufCBinaryData),
    [PROTOBUF_C_TYPE_MESSAGE] = sizeof(ProtobufCMessage *),
};

/* A value in memory, as each type has it. */
union value {
    int32_t int32;
    int64_t int64;
    uint32_t uint32;
    uint64_t uint64;
    double number;
    protobuf_c_boolean boolean;
    int enumeration;
    const char *string;
    ProtobufCBinaryData bytes;
    const ProtobufCMessage *message;
};

static union value value_at(const ProtobufCFieldDescriptor *field, const void *at)
{
    union value value = {.uint64 = 0};
    memcpy(&value, at, sizes[field->type]);
    return value;
}

static bool is_default(const ProtobufCFieldDescriptor *field, union value value)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        return *value.string == '\0';
    case PROTOBUF_C_TYPE_BYTES:
        return value.bytes.len == 0;
    default:
        return value.uint64 == 0;
    }
}

static struct json_object *json_of_enum(const ProtobufCEnumDescriptor *enumeration, int number)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(enumeration, number);
    return known ? json_object_new_string(known->name) : json_object_new_int(number);
}

static struct json_object *json_of_64_bits(const char *format, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, format, number);
    return json_object_new_string(text);
}

/* KeyValue.value is text; it was a string once. */
static struct json_object *json_of_bytes(const ProtobufCMessageDescriptor *owner, const ProtobufCBinaryData *data)
{
    if (strcmp(owner->short_name, "KeyValue") == 0) {
        return json_object_new_string_len((const char *)data->data, (int)data->len);
    }
    char text[256];
    size_t length = base64_encoded_size(data->len);
    if (length > sizeof text) {
        abort(); /* random texts are short */
    }
    base64_encode(bytes_of(data->data, data->len), text);
    return json_object_new_string_len(text, (int)length);
}

static struct json_object *json_of_value(const ProtobufCMessageDescriptor *owner, const ProtobufCFieldDescriptor *field,
                                         union value value, bool unknown)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
        return json_object_new_int(value.int32);
    case PROTOBUF_C_TYPE_INT64:
        return json_of_64_bits("%" PRId64, value.uint64);
    case PROTOBUF_C_TYPE_UINT32:
        return json_object_new_int64(value.uint32);
    case PROTOBUF_C_TYPE_UINT64:
        return json_of_64_bits("%" PRIu64, value.uint64);
    case PROTOBUF_C_TYPE_DOUBLE:
        return json_object_new_double(value.number);
    case PROTOBUF_C_TYPE_BOOL:
        return json_object_new_boolean(value.boolean);
    case PROTOBUF_C_TYPE_ENUM:
        return json_of_enum(field->descriptor, value.enumeration);
    case PROTOBUF_C_TYPE_STRING:
        return json_object_new_string(value.string);
    case PROTOBUF_C_TYPE_BYTES:
        return json_of_bytes(owner, &value.bytes);
    case PROTOBUF_C_TYPE_MESSAGE:
        return stub_reader_json(value.message, unknown);
    default:
        abort(); /* a type that CRI does not use */
    }
}

/* ---- fields ---- */

static void add_unknown(struct json_object *object, const ProtobufCMessage *message)
{
    struct json_object *list;
    if (message->n_unknown_fields > 0 && !json_object_object_get_ex(object, UNKNOWN_FIELDS, &list)) {
        list = json_object_new_array();
        json_object_object_add(object, UNKNOWN_FIELDS, list);
    }
    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &message->unknown_fields[i];
        char text[256];
        int length = snprintf(text, sizeof text, "%" PRIu32 " type %d ", field->tag, (int)field->wire_type);
        for (size_t k = 0; k < field->len && (size_t)length < sizeof text; k++) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%02x", field->data[k]);
        }
        json_object_array_add(list, json_object_new_string(text));
    }
}

/* The name in JSON: without underscores, and with a capital letter behind each. */
static const char *json_name(const char *name, char text[static 128])
{
    char *end = text;
    for (; *name && end < text + 127; name++) {
        bool capital = *name == '_' && name[1] >= 'a' && name[1] <= 'z';
        name += *name == '_';
        *end++ = (char)(capital ? *name - 'a' + 'A' : *name);
    }
    *end = '\0';
    return text;
}

/* All maps of CRI are of strings to strings; protobuf-c knows them as lists of entries. */
static bool is_map(const ProtobufCFieldDescriptor *field)
{
    const ProtobufCMessageDescriptor *entry = field->type == PROTOBUF_C_TYPE_MESSAGE ? field->descriptor : NULL;
    const char *end = entry ? strstr(entry->short_name, "Entry") : NULL;
    return end && strcmp(end, "Entry") == 0 && entry->n_fields == 2 && strcmp(entry->fields[0].name, "key") == 0;
}

static void add_entry(struct json_object *map, const ProtobufCMessage *entry, bool unknown)
{
    const char *texts[2];
    for (int i = 0; i < 2; i++) {
        const ProtobufCFieldDescriptor *field = &entry->descriptor->fields[i];
        texts[i] = value_at(field, (const char *)entry + field->offset).string;
    }
    json_object_object_add(map, texts[0], json_object_new_string(texts[1]));
    if (unknown) {
        add_unknown(map, entry);
    }
}

static struct json_object *json_of_list(const ProtobufCMessageDescriptor *owner, const ProtobufCFieldDescriptor *field,
                                        const char *elements, size_t count, bool unknown)
{
    bool map = is_map(field);
    struct json_object *json = map ? json_object_new_object() : json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        union value value = value_at(field, elements + i * sizes[field->type]);
        if (map) {
            add_entry(json, value.message, unknown);
        } else {
            json_object_array_add(json, json_of_value(owner, field, value, unknown));
        }
    }
    return json;
}

/* NULL for a field that says nothing. */
static struct json_object *json_of_field(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, bool unknown)
{
    const char *at = (const char *)message + field->offset;
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        union value value = value_at(field, at);
        return is_default(field, value) ? NULL : json_of_value(message->descriptor, field, value, unknown);
    }
    size_t count;
    memcpy(&count, (const char *)message + field->quantifier_offset, sizeof count);
    const char *elements;
    memcpy(&elements, at, sizeof elements);
    return count == 0 ? NULL : json_of_list(message->descriptor, field, elements, count, unknown);
}

struct json_object *stub_reader_json(const ProtobufCMessage *message, bool unknown)
{
    struct json_object *object = json_object_new_object();
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        char name[128];
        struct json_object *value = json_of_field(message, &message->descriptor->fields[i], unknown);
        if (value) {
            json_object_object_add(object, json_name(message->descriptor->fields[i].name, name), value);
        }
    }
    if (unknown) {
        add_unknown(object, message);
    }
    return object;
}
