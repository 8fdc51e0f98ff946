#include "pieces.h"

#include "wire.h"

/* The tag of a field, and its length or number. */
#define LONGEST_HEAD ((size_t)2 * WIRE_MAX_VARINT)

size_t pieces_length(struct pieces pieces)
{
    size_t len = 0;
    for (size_t i = 0; i < pieces.count; i++) {
        len += pieces.each[i].len;
    }
    return len;
}

bool pieces_equal(struct pieces pieces, struct bytes whole)
{
    for (size_t i = 0; i < pieces.count; i++) {
        if (!bytes_start_with(whole, pieces.each[i])) {
            return false;
        }
        whole = bytes_after(whole, pieces.each[i].len);
    }
    return whole.len == 0;
}

uint8_t *pieces_copy(struct pieces pieces, uint8_t *out)
{
    for (size_t i = 0; i < pieces.count; i++) {
        if (pieces.each[i].len > 0) {
            memcpy(out, pieces.each[i].data, pieces.each[i].len);
            out += pieces.each[i].len;
        }
    }
    return out;
}

/* A place in a message. */
struct place {
    struct pieces message;
    size_t piece;
    size_t at; /* in that piece */
};

static struct bytes rest_of_piece(const struct place *place)
{
    return bytes_after(place->message.each[place->piece], place->at);
}

/* Moves on by up to `most` bytes, which go to `out` if there is one, and answers how many there were. */
static size_t move_on(struct place *place, size_t most, uint8_t *out)
{
    size_t moved = 0;
    while (moved < most && place->piece < place->message.count) {
        struct bytes rest = rest_of_piece(place);
        size_t len = rest.len < most - moved ? rest.len : most - moved;
        if (out && len > 0) {
            memcpy(out + moved, rest.data, len);
        }
        moved += len;
        place->at += len;
        if (place->at == place->message.each[place->piece].len) {
            place->piece++;
            place->at = 0;
        }
    }
    return moved;
}

/* The whole fields at the beginning of some bytes. */
static struct bytes whole_fields(struct bytes bytes)
{
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field field;
    const uint8_t *end = bytes.data;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        end = reader.at;
    }
    return bytes_of(bytes.data, (size_t)(end - bytes.data));
}

/* How long the field is that begins there; 0 when it is none. It need not end before the message does. */
static size_t length_of_field(struct place place)
{
    uint8_t head[LONGEST_HEAD];
    struct wire_reader reader = wire_reader_of(bytes_of(head, move_on(&place, sizeof head, head)));
    uint64_t tag, value;
    if (!wire_read_varint(&reader, &tag) || tag >> 3 == 0) {
        return 0;
    }
    switch (tag & 7) {
    case WIRE_VARINT:
        return wire_read_varint(&reader, &value) ? (size_t)(reader.at - head) : 0;
    case WIRE_LENGTH:
        return wire_read_varint(&reader, &value) && value <= SIZE_MAX - sizeof head ? (size_t)(reader.at - head) + value : 0;
    case WIRE_FIXED32:
        return (size_t)(reader.at - head) + sizeof(uint32_t);
    case WIRE_FIXED64:
        return (size_t)(reader.at - head) + sizeof(uint64_t);
    default:
        return 0;
    }
}

/* Puts the field together that begins there, at the end of a piece, and ends in a later one. */
static bool take_scattered(struct place *place, size_t left, struct arena *arena, struct bytes *field, struct error *error)
{
    size_t len = length_of_field(*place);
    if (len <= rest_of_piece(place).len || len > left) {
        return error_set(error, STATUS_INTERNAL, "malformed bytes");
    }
    uint8_t *whole = arena_alloc(arena, len);
    if (!whole) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the message takes more memory than one call may use");
    }
    *field = bytes_of(whole, move_on(place, len, whole));
    return true;
}

bool pieces_align(struct pieces message, struct arena *arena, struct pieces *aligned, struct error *error)
{
    /* Of each piece what is whole in it, and what begins there. */
    struct bytes *runs = arena_alloc(arena, 2 * message.count * sizeof *runs);
    if (!runs) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the message takes more memory than one call may use");
    }
    *aligned = (struct pieces){.each = runs};
    struct place place = {.message = message};
    size_t left = pieces_length(message);
    while (left > 0) {
        struct bytes run = whole_fields(rest_of_piece(&place));
        if (run.len > 0) {
            runs[aligned->count++] = run;
            left -= move_on(&place, run.len, NULL);
        } else if (rest_of_piece(&place).len == 0) {
            place.piece++;
        } else if (take_scattered(&place, left, arena, &runs[aligned->count], error)) {
            left -= runs[aligned->count++].len;
        } else {
            return false;
        }
    }
    return true;
}
