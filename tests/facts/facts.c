#include "facts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef Google__Protobuf__FileDescriptorProto file_descriptor;
typedef Google__Protobuf__DescriptorProto message_descriptor;
typedef Google__Protobuf__FieldDescriptorProto field_descriptor;
typedef Google__Protobuf__EnumDescriptorProto enum_descriptor;
typedef Google__Protobuf__ServiceDescriptorProto service_descriptor;

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text;
    if (vasprintf(&text, format, arguments) < 0) {
        abort();
    }
    va_end(arguments);
    return text;
}

/* Takes both strings over. */
static void add(struct facts *facts, char *key, char *value)
{
    facts->items = reallocarray(facts->items, facts->count + 1, sizeof(*facts->items));
    if (facts->items == NULL) {
        abort();
    }
    facts->items[facts->count++] = (struct fact){.key = key, .value = value};
}

void facts_free(struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        free(facts->items[i].key);
        free(facts->items[i].value);
    }
    free(facts->items);
    *facts = (struct facts){0};
}

/* --- from a facts file --- */

/* `items` is "NUMBER REST, NUMBER REST ..." and is written to. `subject` is "message Mount", `part` is "field". */
static bool parse_items(struct facts *facts, const char *subject, const char *part, char *items)
{
    add(facts, print("%s", subject), print("declared"));
    while (*items != '\0') {
        char *next = strstr(items, ", ");
        if (next != NULL) {
            *next = '\0';
        }
        size_t digits = strspn(items, "0123456789");
        if (digits == 0 || items[digits] != ' ' || items[digits + 1] == '\0') {
            return false;
        }
        add(facts, print("%s %s %.*s", subject, part, (int)digits, items), print("%s", items + digits + 1));
        if (next == NULL) {
            return true;
        }
        items = next + strlen(", ");
    }
    return true;
}

static bool parse_line(struct facts *facts, char *line)
{
    static const char package[] = "package ";
    if (*line == '\0' || *line == '#') {
        return true;
    }
    if (strncmp(line, package, strlen(package)) == 0) {
        add(facts, print("package"), print("%s", line + strlen(package)));
        return true;
    }
    char *colon = strchr(line, ':');
    if (colon == NULL || (colon[1] != ' ' && colon[1] != '\0')) {
        return false;
    }
    *colon = '\0';
    char *rest = colon[1] == '\0' ? colon + 1 : colon + 2;
    if (strncmp(line, "rpc ", strlen("rpc ")) == 0) {
        add(facts, print("%s", line), print("%s", rest));
        return true;
    }
    if (strncmp(line, "message ", strlen("message ")) == 0) {
        return parse_items(facts, line, "field", rest);
    }
    return strncmp(line, "enum ", strlen("enum ")) == 0 && parse_items(facts, line, "value", rest);
}

bool facts_parse(struct facts *facts, const char *text, FILE *report)
{
    bool valid = true;
    for (size_t number = 1; *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        char *line = print("%.*s", (int)length, text);
        if (!parse_line(facts, line)) {
            fprintf(report, "line %zu is no fact: %.*s\n", number, (int)length, text);
            valid = false;
        }
        free(line);
        text += length + (text[length] == '\n');
    }
    return valid;
}

/* --- from descriptors --- */

/* By the numbers of FieldDescriptorProto.Type. */
static const char *const scalar_names[] = {
    NULL,    "double",  "float", "int64",  "uint64", "int32",    "fixed64",  "fixed32", "bool",   "string",
    "group", "message", "bytes", "uint32", "enum",   "sfixed32", "sfixed64", "sint32",  "sint64",
};

/* "Mount" for ".runtime.v1.Mount" in package runtime.v1; a type of another package keeps its full name. */
static const char *local_name(const file_descriptor *file, const char *full_name)
{
    size_t length = strlen(file->package);
    bool ours = full_name[0] == '.' && strncmp(full_name + 1, file->package, length) == 0 && full_name[length + 1] == '.';
    return ours ? full_name + length + 2 : full_name;
}

static const char *type_name(const file_descriptor *file, const field_descriptor *field)
{
    return field->type_name != NULL ? local_name(file, field->type_name) : scalar_names[field->type];
}

/* The message inside `message` that protoc made for this field because it is a map; NULL for any other field. */
static const message_descriptor *map_entry(const file_descriptor *file, const message_descriptor *message, const char *path,
                                           const field_descriptor *field)
{
    for (size_t i = 0; i < message->n_nested_type; i++) {
        const message_descriptor *nested = message->nested_type[i];
        char *nested_path = print("%s.%s", path, nested->name);
        bool found = nested->options != NULL && nested->options->map_entry && field->type_name != NULL &&
                     strcmp(local_name(file, field->type_name), nested_path) == 0;
        free(nested_path);
        if (found) {
            return nested;
        }
    }
    return NULL;
}

static const char *label(const field_descriptor *field)
{
    if (field->proto3_optional) {
        return " optional";
    }
    if (field->has_oneof_index) {
        return " oneof";
    }
    if (field->label == GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__LABEL__LABEL_REPEATED) {
        bool unpacked = field->options != NULL && field->options->has_packed && !field->options->packed;
        return unpacked ? " repeated unpacked" : " repeated";
    }
    return field->label == GOOGLE__PROTOBUF__FIELD_DESCRIPTOR_PROTO__LABEL__LABEL_REQUIRED ? " required" : "";
}

static char *describe_field(const file_descriptor *file, const message_descriptor *message, const char *path,
                            const field_descriptor *field)
{
    const message_descriptor *entry = map_entry(file, message, path, field);
    if (entry != NULL) {
        return print("%s map<%s,%s>", field->name, type_name(file, entry->field[0]), type_name(file, entry->field[1]));
    }
    return print("%s%s %s", field->name, label(field), type_name(file, field));
}

static void describe_enum(struct facts *facts, const char *path, const enum_descriptor *descriptor)
{
    add(facts, print("enum %s", path), print("declared"));
    for (size_t i = 0; i < descriptor->n_value; i++) {
        add(facts, print("enum %s value %d", path, descriptor->value[i]->number), print("%s", descriptor->value[i]->name));
    }
}

static void describe_message(struct facts *facts, const file_descriptor *file, const char *path,
                             const message_descriptor *message)
{
    add(facts, print("message %s", path), print(message->n_extension_range == 0 ? "declared" : "declared extensible"));
    for (size_t i = 0; i < message->n_field; i++) {
        const field_descriptor *field = message->field[i];
        add(facts, print("message %s field %d", path, field->number), describe_field(file, message, path, field));
    }
    for (size_t i = 0; i < message->n_enum_type; i++) {
        char *nested_path = print("%s.%s", path, message->enum_type[i]->name);
        describe_enum(facts, nested_path, message->enum_type[i]);
        free(nested_path);
    }
    for (size_t i = 0; i < message->n_nested_type; i++) {
        const message_descriptor *nested = message->nested_type[i];
        if (nested->options == NULL || !nested->options->map_entry) {
            char *nested_path = print("%s.%s", path, nested->name);
            describe_message(facts, file, nested_path, nested);
            free(nested_path);
        }
    }
}

static void describe_service(struct facts *facts, const file_descriptor *file, const service_descriptor *service)
{
    for (size_t i = 0; i < service->n_method; i++) {
        const Google__Protobuf__MethodDescriptorProto *method = service->method[i];
        add(facts, print("rpc %s/%s", service->name, method->name),
            print("%s%s %s%s", method->client_streaming ? "stream " : "", local_name(file, method->input_type),
                  method->server_streaming ? "stream " : "", local_name(file, method->output_type)));
    }
}

void facts_describe(struct facts *facts, const Google__Protobuf__FileDescriptorSet *set)
{
    for (size_t i = 0; i < set->n_file; i++) {
        const file_descriptor *file = set->file[i];
        bool proto3 = file->syntax != NULL && strcmp(file->syntax, "proto3") == 0;
        add(facts, print("package"), print("%s%s", file->package, proto3 ? "" : " not proto3"));
        for (size_t j = 0; j < file->n_service; j++) {
            describe_service(facts, file, file->service[j]);
        }
        for (size_t j = 0; j < file->n_message_type; j++) {
            describe_message(facts, file, file->message_type[j]->name, file->message_type[j]);
        }
        for (size_t j = 0; j < file->n_enum_type; j++) {
            describe_enum(facts, file->enum_type[j]->name, file->enum_type[j]);
        }
        for (size_t j = 0; j < file->n_extension; j++) {
            add(facts, print("extension %s", file->extension[j]->name), print("declared"));
        }
    }
}

/* --- both held against each other --- */

static int compare_facts(const void *left, const void *right)
{
    const struct fact *a = left;
    const struct fact *b = right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : strcmp(a->value, b->value);
}

static void sort(struct facts *facts)
{
    if (facts->count > 0) {
        qsort(facts->items, facts->count, sizeof(*facts->items), compare_facts);
    }
}

size_t facts_compare(struct facts *expected, struct facts *actual, FILE *report)
{
    sort(expected);
    sort(actual);
    size_t differences = 0;
    const struct fact *e = expected->items;
    const struct fact *a = actual->items;
    const struct fact *expected_end = e + expected->count;
    const struct fact *actual_end = a + actual->count;
    while (e < expected_end || a < actual_end) {
        int order = e == expected_end ? 1 : a == actual_end ? -1 : strcmp(e->key, a->key);
        bool same = order == 0 && strcmp(e->value, a->value) == 0;
        if (order < 0) {
            fprintf(report, "missing: %s: %s\n", e->key, e->value);
        } else if (order > 0) {
            fprintf(report, "additional: %s: %s\n", a->key, a->value);
        } else if (!same) {
            fprintf(report, "different: %s: expected \"%s\", is \"%s\"\n", e->key, e->value, a->value);
        }
        differences += !same;
        e += order <= 0;
        a += order >= 0;
    }
    return differences;
}
