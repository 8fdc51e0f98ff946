#include "translate/koordinator/field_move.h"

#include "translate/bytes/wire.h"
#include "translate/hooks/text.h"
#include "translate/koordinator/pairs.h"

static const ProtobufCFieldDescriptor *field_by_name(const ProtobufCMessageDescriptor *message, const char *name)
{
    return protobuf_c_message_descriptor_get_field_by_name(message, name);
}

static bool malformed(const ProtobufCFieldDescriptor *field, struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "%s: it is malformed", field->name);
}

/* Finds the next occurrence of a message; `*found` is false at the end. */
static bool next_message(struct wire_reader *reader, const ProtobufCFieldDescriptor *wanted, struct bytes *payload, bool *found)
{
    struct wire_field field;
    *found = false;
    while (!*found && reader->at < reader->end) {
        if (!wire_read_field(reader, &field) || (field.number == wanted->id && field.type != WIRE_LENGTH)) {
            return false;
        }
        *found = field.number == wanted->id;
        *payload = field.payload;
    }
    return true;
}

/* The content of a message, which all of its occurrences are, one behind the other. `*found`: there is one. */
static bool take_message(struct bytes bytes, const ProtobufCFieldDescriptor *field, struct arena *arena, struct bytes *content,
                         bool *found, struct error *error)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct bytes payload;
    bool more = true;
    *content = (struct bytes){0};
    *found = false;
    while (more) {
        if (!next_message(&reader, field, &payload, &more)) {
            return malformed(field, error);
        }
        if (more && content->len > 0 && payload.len > 0) {
            *content = arena_join(arena, (const struct bytes[]){*content, payload}, 2);
            if (!content->data) {
                return error_no_memory(error);
            }
        } else if (more && payload.len > 0) {
            *content = payload;
        }
        *found |= more;
    }
    return true;
}

static bool put_message(struct bytes content, const ProtobufCFieldDescriptor *from, const ProtobufCFieldDescriptor *to,
                        struct walk_output *output, struct error *error)
{
    size_t opened = walk_output_open(output, to->id, content.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    return field_move_all(content, from->descriptor, to->descriptor, output, error) &&
           (walk_output_close(output, opened, content.len) || error_no_memory(error));
}

static bool move_message(struct bytes bytes, const ProtobufCFieldDescriptor *from, const ProtobufCFieldDescriptor *to,
                         struct walk_output *output, struct error *error)
{
    struct bytes content;
    bool found;
    return take_message(bytes, from, output->arena, &content, &found, error) &&
           (!found || put_message(content, from, to, output, error));
}

static bool move_messages(struct bytes bytes, const ProtobufCFieldDescriptor *from, const ProtobufCFieldDescriptor *to,
                          struct walk_output *output, struct error *error)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct bytes content;
    bool more;
    do {
        if (!next_message(&reader, from, &content, &more)) {
            return malformed(from, error);
        }
        if (more && !put_message(content, from, to, output, error)) {
            return false;
        }
    } while (more);
    return true;
}

static bool move_value(struct bytes bytes, const ProtobufCFieldDescriptor *from, const ProtobufCFieldDescriptor *to,
                       struct walk_output *output, struct error *error)
{
    bool text = from->type == PROTOBUF_C_TYPE_STRING || from->type == PROTOBUF_C_TYPE_BYTES;
    struct wire_field field = {0};
    if (!wire_find_field(bytes, from->id, text ? WIRE_LENGTH : WIRE_VARINT, &field)) {
        return malformed(from, error);
    }
    bool sent = text ? field.payload.len > 0 && hook_text_can_be_sent(field.payload) : field.value != 0;
    bool put = !sent || (text ? walk_output_put_field(output, to->id, field.payload)
                              : walk_output_put_number(output, to->id, field.value));
    return put || error_no_memory(error);
}

static bool holds_pairs(const ProtobufCFieldDescriptor *field)
{
    const ProtobufCMessageDescriptor *message = field->descriptor;
    return message->n_fields == 2 && strcmp(message->fields[0].name, "key") == 0 && strcmp(message->fields[1].name, "value") == 0;
}

static bool move_field(struct bytes bytes, const ProtobufCFieldDescriptor *from, const ProtobufCFieldDescriptor *to,
                       struct walk_output *output, struct error *error)
{
    if (from->type != PROTOBUF_C_TYPE_MESSAGE) {
        return move_value(bytes, from, to, output, error);
    }
    if (from->label != PROTOBUF_C_LABEL_REPEATED) {
        return move_message(bytes, from, to, output, error);
    }
    return holds_pairs(from) ? pairs_move(bytes, from->id, to->id, output, error) || error_wrap(error, "%s", from->name)
                             : move_messages(bytes, from, to, output, error);
}

bool field_move_all(struct bytes bytes, const ProtobufCMessageDescriptor *from, const ProtobufCMessageDescriptor *to,
                    struct walk_output *output, struct error *error)
{
    for (unsigned i = 0; i < to->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = field_by_name(from, to->fields[i].name);
        if (field && !move_field(bytes, field, &to->fields[i], output, error)) {
            return false;
        }
    }
    return true;
}

/* Into an inner message, which is written only if it has something in it. */
static bool move_into(const ProtobufCFieldDescriptor *outer, struct bytes bytes, const ProtobufCFieldDescriptor *from,
                      const ProtobufCFieldDescriptor *to, struct walk_output *output, struct error *error)
{
    size_t before = output->len;
    size_t opened = walk_output_open(output, outer->id, bytes.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    if (!move_field(bytes, from, to, output, error)) {
        return false;
    }
    if (output->len == opened) {
        output->len = before;
        return true;
    }
    return walk_output_close(output, opened, bytes.len) || error_no_memory(error);
}

bool field_move(struct bytes bytes, const struct field_place *from, const struct field_place *to, struct walk_output *output,
                struct error *error)
{
    const ProtobufCMessageDescriptor *holder = from->message;
    if (from->outer) {
        bool found;
        const ProtobufCFieldDescriptor *outer = field_by_name(holder, from->outer);
        if (!take_message(bytes, outer, output->arena, &bytes, &found, error)) {
            return false;
        }
        holder = outer->descriptor;
    }
    const ProtobufCFieldDescriptor *source = field_by_name(holder, from->name);
    if (!to->outer) {
        return move_field(bytes, source, field_by_name(to->message, to->name), output, error);
    }
    const ProtobufCFieldDescriptor *outer = field_by_name(to->message, to->outer);
    return move_into(outer, bytes, source, field_by_name(outer->descriptor, to->name), output, error);
}
