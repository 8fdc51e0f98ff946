#include "translate/koordinator/echo.h"

#include <stdlib.h>

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/koordinator/pairs.h"

/* Fields have small numbers, so that their places are found in a table. */
#define NUMBERS 16
#define NO_PLACE ECHO_FIELDS_MAX

/* The occurrences of a field in the request, in their order. Only maps have several, and are in the order of their keys. */
struct occurrences {
    struct bytes *payloads;
    struct bytes *keys; /* of a map's entries, which may come back in any order */
    size_t count;
};

struct hook_sent {
    const ProtobufCMessageDescriptor *answer_type;
    struct occurrences of[ECHO_FIELDS_MAX]; /* by the places of fields in the type of answers */
    size_t total;
    bool readable; /* false: it repeats nothing */
};

/* The places of fields, by their numbers. */
struct places {
    uint8_t of[NUMBERS];
};

static size_t place_of(const struct places *places, uint32_t number)
{
    return number < NUMBERS ? places->of[number] : NO_PLACE;
}

/* The fields of answers in a message of that type. */
static struct places places_in(const ProtobufCMessageDescriptor *answer_type, const ProtobufCMessageDescriptor *type)
{
    struct places places;
    memset(places.of, NO_PLACE, sizeof places.of);
    for (unsigned i = 0; i < answer_type->n_fields; i++) {
        const char *name = answer_type->fields[i].name;
        const ProtobufCFieldDescriptor *field =
            type == answer_type ? &answer_type->fields[i] : protobuf_c_message_descriptor_get_field_by_name(type, name);
        if (field && field->id < NUMBERS) {
            places.of[field->id] = (uint8_t)i;
        }
    }
    return places;
}

/* ---- the request ---- */

/* false: the message is malformed or has too many fields, or one of the fields is no message or string. */
static bool count(struct bytes message, const struct places *places, struct hook_sent *sent)
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
            sent->of[place].count++;
            sent->total++;
        }
    }
    return true;
}

static bool allocate(struct arena *arena, struct occurrences *occurrences)
{
    occurrences->payloads = arena_alloc(arena, occurrences->count * sizeof(struct bytes));
    occurrences->keys = arena_alloc(arena, occurrences->count * sizeof(struct bytes));
    return occurrences->payloads && occurrences->keys;
}

static void fill(struct bytes message, const struct places *places, struct hook_sent *sent)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t filled[ECHO_FIELDS_MAX] = {0};
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(places, field.number);
        if (place != NO_PLACE) {
            sent->of[place].payloads[filled[place]++] = field.payload;
        }
    }
}

/* false: there are several, and they are not the entries of a map in their order. */
static bool read_keys(const struct occurrences *occurrences)
{
    for (size_t i = 0; occurrences->count > 1 && i < occurrences->count; i++) {
        struct pair pair;
        if (!pair_read(occurrences->payloads[i], &pair)) {
            return false;
        }
        occurrences->keys[i] = pair.key;
        if (i > 0 && bytes_compare(occurrences->keys[i - 1], pair.key) >= 0) {
            return false;
        }
    }
    return true;
}

struct hook_sent *echo_prepare(const ProtobufCMessageDescriptor *request_type, struct bytes request,
                               const ProtobufCMessageDescriptor *answer_type, struct arena *arena)
{
    struct hook_sent *sent = arena_zalloc(arena, sizeof *sent);
    struct places places = places_in(answer_type, request_type);
    if (!sent) {
        return NULL;
    }
    sent->answer_type = answer_type;
    sent->readable = count(request, &places, sent);
    for (size_t i = 0; sent->readable && i < answer_type->n_fields; i++) {
        if (!allocate(arena, &sent->of[i])) {
            return NULL;
        }
    }
    if (sent->readable) {
        fill(request, &places, sent);
    }
    for (size_t i = 0; sent->readable && i < answer_type->n_fields; i++) {
        sent->readable = read_keys(&sent->of[i]);
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
static size_t find_entry(const struct occurrences *sent, struct bytes payload)
{
    struct pair pair;
    const struct bytes *found = sent->count > 1 && pair_read(payload, &pair)
                                    ? bsearch(&pair.key, sent->keys, sent->count, sizeof(struct bytes), compare_keys)
                                    : NULL;
    return found ? (size_t)(found - sent->keys) : sent->count;
}

/* Whether the request has such an occurrence, and the answer had it not yet. */
static bool repeats(const struct occurrences *sent, struct repeated *repeated, struct bytes payload)
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
static bool read_answer(const struct hook_sent *sent, const struct places *places, struct bytes answer, struct repeated *repeated,
                        bool *others)
{
    struct wire_reader reader = wire_reader_of(answer);
    struct wire_field field;
    size_t fields = 0;
    *others = false;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || ++fields > HOOK_ANSWER_FIELDS) {
            return false;
        }
        size_t place = place_of(places, field.number);
        if (place == NO_PLACE) {
            *others = true;
        } else if (field.type != WIRE_LENGTH) {
            return false;
        } else if (!repeated[place].differs) {
            repeated[place].differs = !repeats(&sent->of[place], &repeated[place], field.payload);
        }
    }
    return true;
}

static bool copy_others(struct bytes answer, const struct places *places, const struct repeated *repeated, struct arena *arena,
                        struct bytes *rest)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(answer);
    struct wire_field field;
    if (!walk_output_start(&output, arena, 0)) {
        return false;
    }
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(places, field.number);
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
    struct places places = places_in(sent->answer_type, sent->answer_type);
    struct repeated repeated[ECHO_FIELDS_MAX] = {0};
    bool *found = arena_zalloc(arena, sent->total);
    bool others;
    *rest = answer;
    if (!found) {
        return false;
    }
    for (size_t i = 0; i < sent->answer_type->n_fields; i++) {
        repeated[i].found = found;
        found += sent->of[i].count;
    }
    if (!sent->readable || !read_answer(sent, &places, answer, repeated, &others)) {
        return true;
    }
    for (size_t i = 0; i < sent->answer_type->n_fields; i++) {
        repeated[i].differs = repeated[i].differs || (repeated[i].count > 0 && repeated[i].count < sent->of[i].count);
        others = others || repeated[i].differs;
    }
    if (!others) {
        *rest = bytes_of(answer.data, 0);
        return true;
    }
    return copy_others(answer, &places, repeated, arena, rest);
}
