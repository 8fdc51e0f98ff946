#include "translate/koordinator/echo.h"

#include <stdlib.h>

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/hooks/protocol.h"

/* The occurrences of a field. */
struct occurrences {
    struct bytes *payloads;
    size_t count;
};

/* A message, by the fields of answers. */
struct parts {
    uint32_t numbers[ECHO_FIELDS_MAX]; /* that they have in this message; 0: none */
    struct occurrences of[ECHO_FIELDS_MAX];
    size_t fields;
};

static size_t place_of(const struct parts *parts, uint32_t number)
{
    size_t place = 0;
    while (place < parts->fields && parts->numbers[place] != number) {
        place++;
    }
    return place;
}

/* false: the message is malformed or has too many fields, or one of the fields is no message or string. */
static bool count(struct bytes message, struct parts *parts)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t fields = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || ++fields > HOOK_ANSWER_FIELDS) {
            return false;
        }
        size_t place = place_of(parts, field.number);
        if (place < parts->fields) {
            parts->of[place].count++;
            if (field.type != WIRE_LENGTH) {
                return false;
            }
        }
    }
    return true;
}

static void fill(struct bytes message, struct parts *parts)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t filled[ECHO_FIELDS_MAX] = {0};
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(parts, field.number);
        if (place < parts->fields) {
            parts->of[place].payloads[filled[place]++] = field.payload;
        }
    }
}

static bool allocate(struct arena *arena, struct parts *parts)
{
    for (size_t i = 0; i < parts->fields; i++) {
        parts->of[i].payloads = arena_alloc(arena, parts->of[i].count * sizeof(struct bytes));
        if (!parts->of[i].payloads) {
            return false;
        }
    }
    return true;
}

static int compare(const void *left, const void *right)
{
    return bytes_compare(*(const struct bytes *)left, *(const struct bytes *)right);
}

static bool in_order(const struct occurrences *a, const struct occurrences *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!bytes_equal(a->payloads[i], b->payloads[i])) {
            return false;
        }
    }
    return true;
}

/* Sorts them if their order differs. */
static bool equal(const struct occurrences *a, const struct occurrences *b)
{
    if (a->count != b->count) {
        return false;
    }
    if (in_order(a, b)) {
        return true;
    }
    qsort(a->payloads, a->count, sizeof *a->payloads, compare);
    qsort(b->payloads, b->count, sizeof *b->payloads, compare);
    return in_order(a, b);
}

static bool copy_others(struct bytes answer, const struct parts *parts, const bool *dropped, struct arena *arena,
                        struct bytes *rest)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(answer);
    struct wire_field field;
    if (!walk_output_start(&output, arena, 0)) {
        return false;
    }
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(parts, field.number);
        bool stays = place == parts->fields || !dropped[place];
        if (stays && !walk_output_put(&output, field.start, (size_t)(field.end - field.start))) {
            return false;
        }
    }
    *rest = walk_output_finish(&output);
    return true;
}

/* The fields of answers in a message of that type. */
static struct parts parts_of(const ProtobufCMessageDescriptor *answer_type, const ProtobufCMessageDescriptor *type)
{
    struct parts parts = {.fields = answer_type->n_fields};
    for (size_t i = 0; i < parts.fields; i++) {
        const char *name = answer_type->fields[i].name;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(type, name);
        parts.numbers[i] = field ? field->id : 0;
    }
    return parts;
}

bool echo_drop(const ProtobufCMessageDescriptor *request_type, struct bytes request,
               const ProtobufCMessageDescriptor *answer_type, struct bytes answer, struct arena *arena, struct bytes *rest)
{
    struct parts sent = parts_of(answer_type, request_type);
    struct parts answered = parts_of(answer_type, answer_type);
    bool dropped[ECHO_FIELDS_MAX];
    *rest = answer;
    if (!count(request, &sent) || !count(answer, &answered)) {
        return true;
    }
    if (!allocate(arena, &sent) || !allocate(arena, &answered)) {
        return false;
    }
    fill(request, &sent);
    fill(answer, &answered);
    for (size_t i = 0; i < answered.fields; i++) {
        dropped[i] = answered.of[i].count > 0 && equal(&sent.of[i], &answered.of[i]);
    }
    return copy_others(answer, &answered, dropped, arena, rest);
}
