#include "translate/koordinator/field_move.h"

#include "translate/bytes/wire.h"
#include "translate/hooks/text.h"
#include "translate/koordinator/pairs.h"

static bool malformed(const char *name, struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "%s: it is malformed", name);
}

/* Finds the next occurrence of a message; `*found` is false at the end. */
static bool next_message(struct wire_reader *reader, uint32_t number, struct bytes *payload, bool *found)
{
    struct wire_field field;
    *found = false;
    while (!*found && reader->at < reader->end) {
        if (!wire_read_field(reader, &field) || (field.number == number && field.type != WIRE_LENGTH)) {
            return false;
        }
        *found = field.number == number;
        *payload = field.payload;
    }
    return true;
}

bool field_take_message(struct bytes bytes, uint32_t number, const char *name, struct arena *arena, struct bytes *content,
                        bool *found, struct error *error)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct bytes payload;
    bool more = true;
    *content = (struct bytes){0};
    *found = false;
    while (more) {
        if (!next_message(&reader, number, &payload, &more)) {
            return malformed(name, error);
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

static bool put_message(struct bytes content, const struct field_link *link, struct walk_output *output, struct error *error)
{
    size_t opened = walk_output_open(output, link->to, content.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    return field_move_all(content, link->inside, output, error) &&
           (walk_output_close(output, opened, content.len) || error_no_memory(error));
}

static bool move_message(struct bytes bytes, const struct field_link *link, struct walk_output *output, struct error *error)
{
    struct bytes content;
    bool found;
    return field_take_message(bytes, link->from, link->name, output->arena, &content, &found, error) &&
           (!found || put_message(content, link, output, error));
}

static bool move_messages(struct bytes bytes, const struct field_link *link, struct walk_output *output, struct error *error)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct bytes content;
    bool more;
    do {
        if (!next_message(&reader, link->from, &content, &more)) {
            return malformed(link->name, error);
        }
        if (more && !put_message(content, link, output, error)) {
            return false;
        }
    } while (more);
    return true;
}

static bool put_value(const struct wire_field *field, const struct field_link *link, struct walk_output *output)
{
    if (link->kind == FIELD_LINK_NUMBER) {
        return walk_output_put_number(output, link->to, field->value);
    }
    return field->payload.len == 0 || !hook_text_can_be_sent(field->payload) ||
           walk_output_put_field(output, link->to, field->payload);
}

static enum wire_type type_of(const struct field_link *link)
{
    return link->kind == FIELD_LINK_NUMBER ? WIRE_VARINT : WIRE_LENGTH;
}

static bool move_value(struct bytes bytes, const struct field_link *link, struct walk_output *output, struct error *error)
{
    struct wire_field field = {0};
    if (!wire_find_field(bytes, link->from, type_of(link), &field)) {
        return malformed(link->name, error);
    }
    return put_value(&field, link, output) || error_no_memory(error);
}

bool field_move(struct bytes bytes, const struct field_link *link, struct walk_output *output, struct error *error)
{
    switch (link->kind) {
    case FIELD_LINK_NUMBER:
    case FIELD_LINK_TEXT:
        break;
    case FIELD_LINK_MESSAGE:
        return move_message(bytes, link, output, error);
    case FIELD_LINK_MESSAGES:
        return move_messages(bytes, link, output, error);
    case FIELD_LINK_PAIRS:
        return pairs_move(bytes, link->from, link->to, output, error) || error_wrap(error, "%s", link->name);
    }
    return move_value(bytes, link, output, error);
}

/* In one pass, for a message of numbers and texts that has each once and in the order in which they are written. Most are so.
   false: it is not; what is written then has to be taken back. */
static bool move_in_order(struct bytes bytes, const struct message_link *link, struct walk_output *output)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field field;
    unsigned at = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        while (at < link->count && link->fields[at].from < field.number) {
            at++;
        }
        const struct field_link *found = at < link->count ? &link->fields[at] : NULL;
        bool value = found && (found->kind == FIELD_LINK_NUMBER || found->kind == FIELD_LINK_TEXT);
        if (!value || found->from != field.number || field.type != type_of(found) || !put_value(&field, found, output)) {
            return false;
        }
        at++;
    }
    return true;
}

bool field_move_all(struct bytes bytes, const struct message_link *link, struct walk_output *output, struct error *error)
{
    size_t before = output->len;
    if (move_in_order(bytes, link, output)) {
        return true;
    }
    output->len = before;
    for (unsigned i = 0; i < link->count; i++) {
        if (!field_move(bytes, &link->fields[i], output, error)) {
            return false;
        }
    }
    return true;
}

bool field_move_into(struct bytes bytes, const struct field_link *link, uint32_t outer, struct walk_output *output,
                     struct error *error)
{
    size_t before = output->len;
    size_t opened = walk_output_open(output, outer, bytes.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(error);
    }
    if (!field_move(bytes, link, output, error)) {
        return false;
    }
    if (output->len == opened) {
        output->len = before;
        return true;
    }
    return walk_output_close(output, opened, bytes.len) || error_no_memory(error);
}
