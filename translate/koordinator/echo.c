#include "translate/koordinator/echo.h"

#include <stdlib.h>

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"

/* Fields have small numbers, so that their places are found in a table. */
#define NUMBERS 16
#define NO_PLACE ECHO_FIELDS_MAX

/* The occurrences of a field in the request, in their order. */
struct occurrences {
    struct bytes *payloads;
    const struct bytes **sorted; /* the same by their bytes, because maps may come back in any order */
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
    occurrences->sorted = arena_alloc(arena, occurrences->count * sizeof(const struct bytes *));
    return occurrences->payloads && occurrences->sorted;
}

static void fill(struct bytes message, const struct places *places, struct hook_sent *sent)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    size_t filled[ECHO_FIELDS_MAX] = {0};
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        size_t place = place_of(places, field.number);
        if (place != NO_PLACE) {
            struct bytes *payload = &sent->of[place].payloads[filled[place]];
            *payload = field.payload;
            sent->of[place].sorted[filled[place]++] = payload;
        }
    }
}

static int compare(const void *left, const void *right)
{
    return bytes_compare(**(const struct bytes *const *)left, **(const struct bytes *const *)right);
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
        for (size_t i = 0; i < answer_type->n_fields; i++) {
            if (sent->of[i].count > 1) {
                qsort(sent->of[i].sorted, sent->of[i].count, sizeof(const struct bytes *), compare);
            }
        }
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

/* Whether the request has such an occurrence, and the answer had it not yet. Requests never have two with the same bytes. */
static bool repeats(const struct occurrences *sent, struct repeated *repeated, struct bytes payload)
{
    size_t at = repeated->next;
    if (at >= sent->count || !bytes_equal(sent->payloads[at], payload)) {
        const struct bytes *key = &payload;
        const struct bytes **found =
            sent->count == 0 ? NULL : bsearch(&key, sent->sorted, sent->count, sizeof(const struct bytes *), compare);
        if (!found) {
            return false;
        }
        at = (size_t)(*found - sent->payloads);
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
