#include "translate/koordinator/field_links.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Metadata, resources and huge pages, each there and back. */
#define MESSAGES_MAX 8

static struct message_link messages[MESSAGES_MAX];
static unsigned message_count;

static bool holds_pairs(const ProtobufCMessageDescriptor *message)
{
    return message->n_fields == 2 && strcmp(message->fields[0].name, "key") == 0 && strcmp(message->fields[1].name, "value") == 0;
}

static enum field_kind kind_of(const ProtobufCFieldDescriptor *field)
{
    if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
        bool text = field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_BYTES;
        return text ? FIELD_LINK_TEXT : FIELD_LINK_NUMBER;
    }
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        return FIELD_LINK_MESSAGE;
    }
    return holds_pairs(field->descriptor) ? FIELD_LINK_PAIRS : FIELD_LINK_MESSAGES;
}

static const struct message_link *message_link_of(const ProtobufCMessageDescriptor *from, const ProtobufCMessageDescriptor *to)
{
    for (unsigned i = 0; i < message_count; i++) {
        if (messages[i].from == from && messages[i].to == to) {
            return &messages[i];
        }
    }
    if (message_count == MESSAGES_MAX || to->n_fields > FIELD_LINKS_MAX) {
        abort();
    }
    struct message_link *link = &messages[message_count++];
    link->from = from;
    link->to = to;
    for (unsigned i = 0; i < to->n_fields; i++) {
        if (protobuf_c_message_descriptor_get_field_by_name(from, to->fields[i].name)) {
            link->fields[link->count++] = field_link_of(from, to->fields[i].name, to, to->fields[i].name);
        }
    }
    return link;
}

struct field_link field_link_of(const ProtobufCMessageDescriptor *from, const char *from_name,
                                const ProtobufCMessageDescriptor *to, const char *to_name)
{
    const ProtobufCFieldDescriptor *source = protobuf_c_message_descriptor_get_field_by_name(from, from_name);
    const ProtobufCFieldDescriptor *target = protobuf_c_message_descriptor_get_field_by_name(to, to_name);
    struct field_link link = {.name = source->name, .from = source->id, .to = target->id, .kind = kind_of(source)};
    if (link.kind == FIELD_LINK_MESSAGE || link.kind == FIELD_LINK_MESSAGES) {
        link.inside = message_link_of(source->descriptor, target->descriptor);
    }
    return link;
}
