#include "codegen/schema_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <google/protobuf/descriptor.pb-c.h>

#include "codegen/memory.h"
#include "codegen/mistakes.h"
#include "codegen/named.h"

#define FIELDS_MAX 254 /* positions are bytes, and 0 means none */
#define NUMBER_MAX 1023

typedef Google__Protobuf__FileDescriptorSet descriptor_set;
typedef Google__Protobuf__FileDescriptorProto file_descriptor;
typedef Google__Protobuf__DescriptorProto message_descriptor;
typedef Google__Protobuf__FieldDescriptorProto field_descriptor;
typedef Google__Protobuf__EnumDescriptorProto enum_descriptor;
typedef Google__Protobuf__ServiceDescriptorProto service_descriptor;
typedef Google__Protobuf__MethodDescriptorProto method_descriptor;

#define TYPE(name) GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__TYPE__TYPE_##name

struct field_kind {
    const char *constant;
    const char *name;
};

/* The types that CRI uses; all others are refused. */
static const struct field_kind field_kinds[] = {
    [TYPE(DOUBLE)] = {"FIELD_DOUBLE", "double"},
    [TYPE(INT32)] = {"FIELD_INT32", "int32"},
    [TYPE(INT64)] = {"FIELD_INT64", "int64"},
    [TYPE(UINT32)] = {"FIELD_UINT32", "uint32"},
    [TYPE(UINT64)] = {"FIELD_UINT64", "uint64"},
    [TYPE(BOOL)] = {"FIELD_BOOL", "bool"},
    [TYPE(ENUM)] = {"FIELD_ENUM", NULL},
    [TYPE(STRING)] = {"FIELD_STRING", "string"},
    [TYPE(BYTES)] = {"FIELD_BYTES", "bytes"},
    [TYPE(MESSAGE)] = {"FIELD_MESSAGE", NULL},
    [TYPE(SINT64)] = {NULL, NULL},
};

/* The state while one dialect is loaded. */
struct load {
    struct dialect *dialect;
    const message_descriptor **descriptors; /* parallel to dialect->messages */
    bool *open, *done;                      /* parallel to them, while sorting */
    struct message **sorted;
    size_t sorted_count;
};

static struct place file_place(const struct dialect *dialect)
{
    return (struct place){dialect->file, 0, 0};
}

static const char *qualified(const char *outer, const char *name)
{
    return outer == NULL ? name : memory_format("%s.%s", outer, name);
}

/* ".runtime.v1.Mount" without the package; the whole of it for types of other packages, which are then not found. */
static const char *without_package(const struct dialect *dialect, const char *type_name)
{
    size_t length = strlen(dialect->package);
    bool inside = type_name[0] == '.' && strncmp(type_name + 1, dialect->package, length) == 0 && type_name[1 + length] == '.';
    return inside ? type_name + length + 2 : type_name;
}

static void add_enum(struct load *load, const enum_descriptor *descriptor, const char *outer)
{
    struct dialect *dialect = load->dialect;
    struct enumeration *enumeration = memory_new(1, sizeof(*enumeration));
    enumeration->name = qualified(outer, descriptor->name);
    enumeration->value_count = descriptor->n_value;
    enumeration->values = memory_new(descriptor->n_value, sizeof(*enumeration->values));
    for (size_t i = 0; i < descriptor->n_value; i++) {
        enumeration->values[i] = (struct enum_value){descriptor->value[i]->name, descriptor->value[i]->number};
    }
    dialect->enums = memory_grow(dialect->enums, dialect->enum_count, sizeof(*dialect->enums));
    dialect->enums[dialect->enum_count++] = enumeration;
}

/* Adds a message without its fields, and the messages nested in it. */
static void add_message(struct load *load, const message_descriptor *descriptor, const char *outer)
{
    struct dialect *dialect = load->dialect;
    struct message *message = memory_new(1, sizeof(*message));
    message->name = qualified(outer, descriptor->name);
    message->map_entry = descriptor->options != NULL && descriptor->options->map_entry;
    message->index = dialect->message_count;
    load->descriptors = memory_grow(load->descriptors, dialect->message_count, sizeof(*load->descriptors));
    load->descriptors[dialect->message_count] = descriptor;
    dialect->messages = memory_grow(dialect->messages, dialect->message_count, sizeof(struct message *));
    dialect->messages[dialect->message_count++] = message;
    for (size_t i = 0; i < descriptor->n_nested_type; i++) {
        add_message(load, descriptor->nested_type[i], message->name);
    }
    for (size_t i = 0; i < descriptor->n_enum_type; i++) {
        add_enum(load, descriptor->enum_type[i], message->name);
    }
}

static void fill_field(struct load *load, const struct message *message, struct field *field, const field_descriptor *descriptor)
{
    struct dialect *dialect = load->dialect;
    size_t kind = (size_t)descriptor->type;
    *field = (struct field){.name = descriptor->name, .json_name = descriptor->json_name, .type_name = ""};
    field->repeated = descriptor->label == GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__LABEL__LABEL_REPEATED;
    if (kind >= sizeof(field_kinds) / sizeof(field_kinds[0]) || field_kinds[kind].constant == NULL) {
        mistake(file_place(dialect),
                "%s.%s has a type that codegen does not know (number %zu): teach it in schema_load.c and schema.h", message->name,
                field->name, kind);
        return;
    }
    if (descriptor->json_name == NULL) {
        mistake(file_place(dialect), "%s.%s has no JSON name: write the set with protoc --descriptor_set_out", message->name,
                field->name);
        return;
    }
    if (descriptor->number > NUMBER_MAX) {
        mistake(file_place(dialect), "%s.%s has number %d, more than the tables hold (%d)", message->name, field->name,
                descriptor->number, NUMBER_MAX);
        return;
    }
    field->number = (uint16_t)descriptor->number;
    field->constant = field_kinds[kind].constant;
    field->type_name = field_kinds[kind].name;
    if (field->type_name != NULL) {
        return;
    }
    field->type_name = without_package(dialect, descriptor->type_name);
    field->message = dialect_message(dialect, field->type_name);
    field->enumeration = dialect_enum(dialect, field->type_name);
    field->map = field->message != NULL && field->message->map_entry;
    if (field->message == NULL && field->enumeration == NULL) {
        mistake(file_place(dialect), "%s.%s is of a type outside package %s: %s", message->name, field->name, dialect->package,
                field->type_name);
    }
}

static int compare_fields(const void *a, const void *b)
{
    const struct field *left = a;
    const struct field *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

static void fill_message(struct load *load, size_t index)
{
    struct message *message = load->dialect->messages[index];
    const message_descriptor *descriptor = load->descriptors[index];
    if (descriptor->n_field > FIELDS_MAX) {
        mistake(file_place(load->dialect), "%s has more than %d fields", message->name, FIELDS_MAX);
        return;
    }
    message->field_count = descriptor->n_field;
    message->fields = memory_new(descriptor->n_field, sizeof(struct field));
    for (size_t i = 0; i < descriptor->n_field; i++) {
        fill_field(load, message, &message->fields[i], descriptor->field[i]);
    }
    qsort(message->fields, message->field_count, sizeof(struct field), compare_fields);
}

static void add_rpc(struct load *load, const char *service, const method_descriptor *descriptor)
{
    struct dialect *dialect = load->dialect;
    struct message *request = dialect_message(dialect, without_package(dialect, descriptor->input_type));
    struct message *response = dialect_message(dialect, without_package(dialect, descriptor->output_type));
    if (request == NULL || response == NULL) {
        mistake(file_place(dialect), "%s.%s takes or returns a message outside package %s", service, descriptor->name,
                dialect->package);
        return;
    }
    if (descriptor->client_streaming) {
        mistake(file_place(dialect), "%s.%s takes a stream of requests, which the gateway cannot pass on", service,
                descriptor->name);
    }
    request->request = true;
    dialect->rpcs = memory_grow(dialect->rpcs, dialect->rpc_count, sizeof(*dialect->rpcs));
    dialect->rpcs[dialect->rpc_count++] =
        (struct rpc){service, descriptor->name, request, response, descriptor->server_streaming};
}

/* Appends a message after those that its fields contain. A message that contains itself is a mistake: tables and walk rely on a
   finite depth. */
static void sort_message(struct load *load, struct message *message)
{
    if (load->done[message->index]) {
        return;
    }
    if (load->open[message->index]) {
        mistake(file_place(load->dialect), "%s holds itself, directly or further down: the walk's tables cannot express that",
                message->name);
        return;
    }
    load->open[message->index] = true;
    for (size_t i = 0; i < message->field_count; i++) {
        if (message->fields[i].message != NULL) {
            sort_message(load, message->fields[i].message);
        }
    }
    load->done[message->index] = true;
    load->sorted[load->sorted_count++] = message;
}

static void sort_messages(struct load *load)
{
    struct dialect *dialect = load->dialect;
    load->open = memory_new(dialect->message_count, sizeof(bool));
    load->done = memory_new(dialect->message_count, sizeof(bool));
    load->sorted = memory_new(dialect->message_count, sizeof(struct message *));
    for (size_t i = 0; i < dialect->message_count; i++) {
        sort_message(load, dialect->messages[i]);
    }
    for (size_t i = 0; i < load->sorted_count; i++) {
        load->sorted[i]->index = i;
    }
    dialect->messages = load->sorted;
}

/* In a set, files come after those that they import: the last one is the API itself. */
static void load_set(struct load *load, const descriptor_set *set)
{
    struct dialect *dialect = load->dialect;
    if (set->n_file == 0 || set->file[set->n_file - 1]->package == NULL) {
        mistake(file_place(dialect), "holds no file with a package");
        return;
    }
    const file_descriptor *file = set->file[set->n_file - 1];
    dialect->package = file->package;
    for (size_t i = 0; i < file->n_message_type; i++) {
        add_message(load, file->message_type[i], NULL);
    }
    for (size_t i = 0; i < file->n_enum_type; i++) {
        add_enum(load, file->enum_type[i], NULL);
    }
    for (size_t i = 0; i < dialect->message_count; i++) {
        fill_message(load, i);
    }
    for (size_t i = 0; i < file->n_service; i++) {
        const service_descriptor *service = file->service[i];
        for (size_t j = 0; j < service->n_method; j++) {
            add_rpc(load, service->name, service->method[j]);
        }
    }
    sort_messages(load);
}

/* The content of a file; NULL after reporting why it cannot be read. */
static uint8_t *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        mistake((struct place){name, 0, 0}, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *size = end > 0 ? (size_t)end : 0;
    uint8_t *content = memory_new(*size, 1);
    rewind(file);
    bool whole = end >= 0 && fread(content, 1, *size, file) == *size;
    fclose(file);
    if (!whole) {
        mistake((struct place){name, 0, 0}, "cannot be read");
    }
    return whole ? content : NULL;
}

bool schema_add(struct schema *schema, const char *name, const char *file)
{
    struct place place = {file, 0, 0};
    if (schema->dialect_count == DIALECTS_MAX) {
        mistake(place, "more than %d dialects: raise DIALECTS_MAX", DIALECTS_MAX);
        return false;
    }
    if (schema_dialect(schema, name) != DIALECTS_MAX) {
        mistake(place, "dialect %s is given twice", name);
        return false;
    }
    size_t size;
    const uint8_t *content = read_file(file, &size);
    if (content == NULL) {
        return false;
    }
    size_t before = mistakes_count();
    const descriptor_set *set = memory_unpack(&google__protobuf__file_descriptor_set__descriptor, content, size);
    if (set == NULL) {
        mistake(place, "is not a FileDescriptorSet");
        return false;
    }
    struct load load = {.dialect = &schema->dialects[schema->dialect_count]};
    load.dialect->name = name;
    load.dialect->file = file;
    load_set(&load, set);
    schema->dialect_count++;
    return mistakes_count() == before;
}

void schema_complete(struct schema *schema)
{
    for (size_t i = 0; i < schema->dialect_count; i++) {
        for (size_t j = i; j < schema->dialect_count; j++) {
            if (strcmp(schema->dialects[i].package, schema->dialects[j].package) == 0) {
                schema->dialects[i].caller = j;
            }
        }
    }
}

const struct dialect *schema_model(const struct schema *schema)
{
    return &schema->dialects[schema->dialect_count - 1];
}

size_t schema_dialect(const struct schema *schema, const char *name)
{
    const struct dialect *found = named_find(schema->dialects, schema->dialect_count, sizeof(*found), name);
    return found == NULL ? DIALECTS_MAX : (size_t)(found - schema->dialects);
}

struct message *dialect_message(const struct dialect *dialect, const char *name)
{
    return named_find_pointer(dialect->messages, dialect->message_count, name);
}

struct enumeration *dialect_enum(const struct dialect *dialect, const char *name)
{
    return named_find_pointer(dialect->enums, dialect->enum_count, name);
}

const struct rpc *dialect_rpc(const struct dialect *dialect, const char *service, const char *name)
{
    for (size_t i = 0; i < dialect->rpc_count; i++) {
        if (strcmp(dialect->rpcs[i].service, service) == 0 && strcmp(dialect->rpcs[i].name, name) == 0) {
            return &dialect->rpcs[i];
        }
    }
    return NULL;
}

const struct field *message_field(const struct message *message, const char *name)
{
    return named_find(message->fields, message->field_count, sizeof(*message->fields), name);
}

const struct field *message_field_by_number(const struct message *message, uint32_t number)
{
    for (size_t i = 0; i < message->field_count; i++) {
        if (message->fields[i].number == number) {
            return &message->fields[i];
        }
    }
    return NULL;
}

const struct enum_value *enum_value_by_number(const struct enumeration *enumeration, int32_t number)
{
    for (size_t i = 0; i < enumeration->value_count; i++) {
        if (enumeration->values[i].number == number) {
            return &enumeration->values[i];
        }
    }
    return NULL;
}

const struct field *dialect_field(const struct dialect *dialect, const char *key)
{
    const char *dot = strrchr(key, '.');
    if (dot == NULL) {
        return NULL;
    }
    const struct message *message = dialect_message(dialect, memory_format("%.*s", (int)(dot - key), key));
    return message == NULL ? NULL : message_field(message, dot + 1);
}

const struct enum_value *dialect_value(const struct dialect *dialect, const char *key)
{
    const char *dot = strrchr(key, '.');
    const struct enumeration *found = dot == NULL ? NULL : dialect_enum(dialect, memory_format("%.*s", (int)(dot - key), key));
    return found == NULL ? NULL : named_find(found->values, found->value_count, sizeof(*found->values), dot + 1);
}

bool field_same_shape(const struct field *a, const struct field *b)
{
    return a->repeated == b->repeated && a->map == b->map && strcmp(a->constant, b->constant) == 0 &&
           strcmp(a->type_name, b->type_name) == 0;
}

const char *field_type_text(const struct field *field)
{
    if (field->map) {
        return memory_format("map<%s, %s>", field->message->fields[0].type_name, field->message->fields[1].type_name);
    }
    return field->repeated ? memory_format("repeated %s", field->type_name) : field->type_name;
}

const struct field *schema_counterpart(const struct schema *schema, size_t dialect, const char *key)
{
    const char *message_name = memory_format("%.*s", (int)(strrchr(key, '.') - key), key);
    const struct message *message = dialect_message(&schema->dialects[dialect], message_name);
    const struct field *model = dialect_field(schema_model(schema), key);
    if (message == NULL) {
        return NULL;
    }
    return model != NULL ? message_field_by_number(message, model->number) : dialect_field(&schema->dialects[dialect], key);
}
