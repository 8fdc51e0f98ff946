#include "translate/bytes/pieces.h"

#include "translate/bytes/wire.h"

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

static struct bytes rest_of_piece(const struct pieces_runs *runs)
{
    return bytes_after(runs->message.each[runs->piece], runs->at);
}

/* Advances by up to `most` bytes, copies them to `out` unless it is NULL, and returns their number. */
static size_t move_on(struct pieces_runs *runs, size_t most, uint8_t *out)
{
    size_t moved = 0;
    while (moved < most && runs->piece < runs->message.count) {
        struct bytes rest = rest_of_piece(runs);
        size_t len = rest.len < most - moved ? rest.len : most - moved;
        if (out && len > 0) {
            memcpy(out + moved, rest.data, len);
        }
        moved += len;
        runs->at += len;
        if (runs->at == runs->message.each[runs->piece].len) {
            runs->piece++;
            runs->at = 0;
        }
    }
    runs->left -= moved;
    return moved;
}

/* Returns the end of a field of the usual kind of list items: a tag of one byte, and up to 16 KiB. NULL for any other field. */
static inline const uint8_t *after_usual_item(const uint8_t *at, const uint8_t *end)
{
    struct bytes payload;
    bool usual = (*at & 0x87) == WIRE_LENGTH && *at >= 8 && wire_short_payload(at + 1, end, &payload);
    return usual ? payload.data + payload.len : NULL;
}

/* The place of each field is known only when the one before it was read. What comes next is fetched meanwhile, so that nothing
   has to be waited for; whoever reads the fields then has them near, too. */
#define LINE 64
#define AHEAD 2048

static inline const uint8_t *fetch(const uint8_t *fetched, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *until = (size_t)(end - at) > AHEAD ? at + AHEAD : end;
    for (; fetched < until; fetched += LINE) {
        __builtin_prefetch(fetched);
    }
    return fetched;
}

/* The number of bytes of the complete fields at the beginning; stops when `count` exceeds `most`. */
static size_t count_fields(struct bytes bytes, size_t most, size_t *count)
{
    const uint8_t *at = bytes.data, *end = bytes.data + bytes.len;
    const uint8_t *fetched = at;
    size_t counted = *count;
    while (at < end && counted <= most) {
        fetched = fetch(fetched, at, end);
        const uint8_t *after = after_usual_item(at, end);
        if (!after) {
            struct wire_reader reader = {.at = at, .end = end};
            struct wire_field field;
            if (!wire_read_field(&reader, &field)) {
                break;
            }
            after = reader.at;
        }
        at = after;
        counted++;
    }
    *count = counted;
    return (size_t)(at - bytes.data);
}

/* The length of the field that begins there; 0 if it is malformed. It may end after the message's end. */
static size_t length_of_field(struct pieces_runs place)
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

/* Joins a field that begins there, at the end of a piece, and ends in a later one. */
static bool take_scattered(struct pieces_runs *runs, struct bytes *field, struct error *error)
{
    size_t len = length_of_field(*runs);
    if (len <= rest_of_piece(runs).len || len > runs->left) {
        return error_set(error, STATUS_INTERNAL, "malformed bytes");
    }
    uint8_t *whole = arena_alloc(runs->arena, len);
    if (!whole) {
        return error_no_memory(error);
    }
    *field = bytes_of(whole, move_on(runs, len, whole));
    return true;
}

bool pieces_has_more_fields(struct pieces message, size_t most)
{
    struct pieces_runs runs = {.message = message, .left = pieces_length(message)};
    size_t count = 0;
    while (runs.left > 0 && count <= most) {
        struct bytes rest = rest_of_piece(&runs);
        size_t whole = count_fields(rest, most, &count);
        if (rest.len == 0) {
            runs.piece++;
        } else if (whole > 0) {
            move_on(&runs, whole, NULL);
        } else {
            size_t scattered = length_of_field(runs);
            if (scattered <= rest.len || scattered > runs.left) {
                break;
            }
            move_on(&runs, scattered, NULL);
            count++;
        }
    }
    return count > most;
}

struct pieces_runs pieces_runs_of(struct pieces message, struct arena *arena)
{
    return (struct pieces_runs){.message = message, .left = pieces_length(message), .arena = arena};
}

bool pieces_next_run(struct pieces_runs *runs, struct bytes *run, struct error *error)
{
    *run = (struct bytes){0};
    while (runs->left > 0 && rest_of_piece(runs).len == 0) {
        runs->piece++;
    }
    if (runs->left == 0) {
        return true;
    }
    struct bytes rest = rest_of_piece(runs);
    *run = bytes_of(rest.data, count_fields(rest, SIZE_MAX - 1, &runs->fields));
    if (run->len == 0) {
        runs->fields++;
        return take_scattered(runs, run, error);
    }
    move_on(runs, run->len, NULL);
    return true;
}
