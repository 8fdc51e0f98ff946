#include "translate/koordinator/answer_check.h"

#include <stdio.h>

#include "translate/bytes/wire.h"
#include "translate/hooks/protocol.h"
#include "translate/hooks/text.h"

#define PATH_SIZE 256

/* What the messages of an answer share. */
struct check {
    size_t fields; /* so far */
    struct error *error;
};

/* A message inside of the answer. */
struct place {
    const struct place *outer;                 /* NULL for the answer itself */
    const char *name;                          /* of the field that holds it */
    const ProtobufCMessageDescriptor *message; /* its type */
};

/* Only as deep as the schema. Returns the length of the path. */
static size_t print_path(const struct place *place, char *path)
{
    if (!place->outer) {
        return 0;
    }
    size_t len = print_path(place->outer, path);
    len += (size_t)snprintf(path + len, PATH_SIZE - len, "%s%s", len > 0 ? "." : "", place->name);
    return len < PATH_SIZE ? len : PATH_SIZE - 1;
}

/* `name` is the field's, NULL for the message itself. */
static bool refuse(const struct place *place, const char *name, const char *what, struct error *error)
{
    char path[PATH_SIZE] = "";
    const struct place field = {.outer = place, .name = name};
    size_t len = print_path(name ? &field : place, path);
    return error_set(error, STATUS_INVALID_ARGUMENT, "%s: %s", len > 0 ? path : place->message->short_name, what);
}

/* Of the types that the protocol has. */
static enum wire_type wire_type_of(const ProtobufCFieldDescriptor *field)
{
    return field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_MESSAGE ? WIRE_LENGTH : WIRE_VARINT;
}

static bool check_message(const struct place *place, struct bytes bytes, struct check *check);

static bool check_field(const struct place *place, const ProtobufCFieldDescriptor *known, const struct wire_field *field,
                        struct check *check)
{
    if (field->type != wire_type_of(known)) {
        return refuse(place, known->name, "its wire type differs from the schema", check->error);
    }
    if (known->type == PROTOBUF_C_TYPE_MESSAGE) {
        const struct place inner = {.outer = place, .name = known->name, .message = known->descriptor};
        return check_message(&inner, field->payload, check);
    }
    if (known->type != PROTOBUF_C_TYPE_STRING) {
        return true;
    }
    if (hook_text_has_nul(field->payload)) {
        return refuse(place, known->name, "the string contains a NUL byte", check->error);
    }
    return utf8_is_valid(field->payload) || refuse(place, known->name, "the string is not valid UTF-8", check->error);
}

static bool check_message(const struct place *place, struct bytes bytes, struct check *check)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field field;
    uint64_t seen = 0; /* messages that must not occur twice, by their places in the schema */
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return refuse(place, NULL, "it is malformed", check->error);
        }
        if (++check->fields > HOOK_ANSWER_FIELDS) {
            return error_set(check->error, STATUS_RESOURCE_EXHAUSTED, "the answer has more than %d fields", HOOK_ANSWER_FIELDS);
        }
        const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(place->message, field.number);
        if (!known) {
            continue;
        }
        bool once = known->type == PROTOBUF_C_TYPE_MESSAGE && known->label != PROTOBUF_C_LABEL_REPEATED;
        uint64_t bit = once ? UINT64_C(1) << (known - place->message->fields) : 0;
        if (seen & bit) {
            return refuse(place, known->name, "it occurs twice, and decoders disagree about what that means", check->error);
        }
        seen |= bit;
        if (!check_field(place, known, &field, check)) {
            return false;
        }
    }
    return true;
}

bool answer_check(const ProtobufCMessageDescriptor *message, struct bytes bytes, struct error *error)
{
    return check_message(&(struct place){.message = message}, bytes, &(struct check){.error = error});
}
