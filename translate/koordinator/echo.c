#include "translate/koordinator/echo.h"

#include <stdlib.h>

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/koordinator/pairs.h"

#define NO_PLACE HOOK_SENT_FIELDS

struct echo_fields echo_fields_of(const ProtobufCMessageDescriptor *request, const ProtobufCMessageDescriptor *answer)
{
    struct echo_fields fields = {.count = answer->n_fields};
    memset(fields.sent, NO_PLACE, sizeof fields.sent);
    memset(fields.answered, NO_PLACE, sizeof fields.answered);
    for (unsigned i = 0; i < answer->n_fields; i++) {
        const ProtobufCFieldDescriptor *answered = &answer->fields[i];
        const ProtobufCFieldDescriptor *sent = protobuf_c_message_descriptor_get_field_by_name(request, answered->name);
        if (i >= HOOK_SENT_FIELDS || answered->id >= ECHO_NUMBERS || (sent && sent->id >= ECHO_NUMBERS)) {
            abort();
        }
        fields.answered[answered->id] = (uint8_t)i;
        if (sent) {
            fields.sent[sent->id] = (uint8_t)i;
        }
    }
    return fields;
}

static size_t place_of(const uint8_t *places, uint32_t number)
{
    return number < ECHO_NUMBERS ? places[number] : NO_PLACE;
}

/* ---- the request ---- */

/* false: the message is malformed or has too many fields, or one of the fields is neither a message nor a string. */
static bool count(struct bytes message, const uint8_t *places, struct hook_sent *sent)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t fields = 0;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || ++fields > HOOK_ANSWER_FIELDS) {
            return false;
        }
        size_t place = place_of(places, field.number);
        if (place != NO_PLACE) {
            if (field.type != WIRE_LENGTH) {
                return false;
            }
            sent->fields[place].count++;
            sent->total++;
        }
    }
    return true;
}

static bool allocate(struct arena *arena, struct hook_sent_field *field)
{
    field->payloads = arena_alloc(arena, field->count * sizeof(struct bytes));
    field->keys = arena_alloc(arena, field->count * sizeof(struct bytes));
    return field->payloads && field->keys;
}

static void fill(struct bytes message, const uint8_t *places, struct hook_sent *sent)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t filled[HOOK_SENT_FIELDS] = {0};
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(places, field.number);
        if (place != NO_PLACE) {
            sent->fields[place].payloads[filled[place]++] = field.payload;
        }
    }
}

/* false: there are several, and they are not entries of a map. */
static bool read_keys(const struct hook_sent_field *field)
{
    for (size_t i = 0; field->count > 1 && i < field->count; i++) {
        struct pair pair;
        if (!pair_read(field->payloads[i], &pair)) {
            return false;
        }
        field->keys[i] = pair.key;
    }
    return true;
}

struct hook_sent *echo_prepare(const struct echo_fields *fields, struct bytes request, struct arena *arena)
{
    struct hook_sent *sent = arena_zalloc(arena, sizeof *sent);
    if (!sent) {
        return NULL;
    }
    sent->field_count = fields->count;
    sent->places = fields->answered;
    sent->readable = count(request, fields->sent, sent);
    for (size_t i = 0; sent->readable && i < fields->count; i++) {
        if (!allocate(arena, &sent->fields[i])) {
            return NULL;
        }
    }
    if (sent->readable) {
        fill(request, fields->sent, sent);
    }
    for (size_t i = 0; sent->readable && i < fields->count; i++) {
        sent->readable = read_keys(&sent->fields[i]);
    }
    return sent;
}

/* ---- the answer ---- */

/* How far an answer repeats one field. */
struct repeated {
    bool *found; /* of each occurrence in the request, whether the answer has it */
    size_t count;
    size_t next; /* occurrence in the request, if the answer has them in the same order */
    bool differs;
};

static int compare_keys(const void *left, const void *right)
{
    return bytes_compare(*(const struct bytes *)left, *(const struct bytes *)right);
}

/* The place of a map's entry in the request; its count if it has no such key. */
static size_t find_entry(const struct hook_sent_field *sent, struct bytes payload)
{
    struct pair pair;
    const struct bytes *found = sent->count > 1 && pair_read(payload, &pair)
                                    ? bsearch(&pair.key, sent->keys, sent->count, sizeof(struct bytes), compare_keys)
                                    : NULL;
    return found ? (size_t)(found - sent->keys) : sent->count;
}

/* Whether the request has such an occurrence, and the answer had it not yet. */
static bool repeats(const struct hook_sent_field *sent, struct repeated *repeated, struct bytes payload)
{
    size_t at = repeated->next;
    if (at >= sent->count || !bytes_equal(sent->payloads[at], payload)) {
        at = find_entry(sent, payload);
        if (at == sent->count || !bytes_equal(sent->payloads[at], payload)) {
            return false;
        }
    }
    bool again = repeated->found[at];
    repeated->found[at] = true;
    repeated->next = at + 1;
    repeated->count++;
    return !again;
}

/* false: it is malformed or has too many fields. `*others`: there are fields of other numbers. */
static bool read_answer(const struct hook_sent *sent, struct bytes answer, struct repeated *repeated, bool *others)
{
    struct wire_reader reader = wire_reader_of(answer);
    struct wire_field field;
    size_t fields = 0;
    *others = false;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || ++fields > HOOK_ANSWER_FIELDS) {
            return false;
        }
        size_t place = place_of(sent->places, field.number);
        if (place == NO_PLACE) {
            *others = true;
        } else if (field.type != WIRE_LENGTH) {
            return false;
        } else if (!repeated[place].differs) {
            repeated[place].differs = !repeats(&sent->fields[place], &repeated[place], field.payload);
        }
    }
    return true;
}

static bool copy_others(const struct hook_sent *sent, struct bytes answer, const struct repeated *repeated, struct arena *arena,
                        struct bytes *rest)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(answer);
    struct wire_field field;
    if (!walk_output_start(&output, arena, 0)) {
        return false;
    }
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(sent->places, field.number);
        bool stays = place == NO_PLACE || repeated[place].differs;
        if (stays && !walk_output_put(&output, field.start, (size_t)(field.end - field.start))) {
            return false;
        }
    }
    *rest = walk_output_finish(&output);
    return true;
}

bool echo_drop(const struct hook_sent *sent, struct bytes answer, struct arena *arena, struct bytes *rest)
{
    struct repeated repeated[HOOK_SENT_FIELDS] = {0};
    bool *found = arena_zalloc(arena, sent->total);
    bool others;
    *rest = answer;
    if (!found) {
        return false;
    }
    for (size_t i = 0; i < sent->field_count; i++) {
        repeated[i].found = found;
        found += sent->fields[i].count;
    }
    if (!sent->readable || !read_answer(sent, answer, repeated, &others)) {
        return true;
    }
    for (size_t i = 0; i < sent->field_count; i++) {
        repeated[i].differs = repeated[i].differs || (repeated[i].count > 0 && repeated[i].count < sent->fields[i].count);
        others = others || repeated[i].differs;
    }
    if (!others) {
        *rest = bytes_of(answer.data, 0);
        return true;
    }
    return copy_others(sent, answer, repeated, arena, rest);
}
