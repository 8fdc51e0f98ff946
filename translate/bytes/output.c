#include "translate/bytes/output.h"

#include "translate/bytes/wire.h"

/* Prefixes make names longer, and a field may be filled in: room for that in messages of the usual size. */
#define SLACK(expected) ((expected) + (expected) / 4 + 128)

bool walk_output_start(struct walk_output *output, struct arena *arena, size_t expected)
{
    *output = (struct walk_output){.arena = arena, .capacity = SLACK(expected)};
    output->data = arena_alloc(arena, output->capacity);
    return output->data != NULL;
}

bool walk_output_grow(struct walk_output *output, size_t more)
{
    size_t capacity = 2 * (output->len + more);
    uint8_t *data = arena_alloc(output->arena, capacity);
    if (!data) {
        return false;
    }
    memcpy(data, output->data, output->len);
    output->data = data;
    output->capacity = capacity;
    return true;
}

bool walk_output_put(struct walk_output *output, const void *data, size_t len)
{
    if (len == 0) {
        return true;
    }
    if (!walk_output_reserve(output, len)) {
        return false;
    }
    memcpy(output->data + output->len, data, len);
    output->len += len;
    return true;
}

bool walk_output_put_varint(struct walk_output *output, uint64_t value)
{
    if (!walk_output_reserve(output, WIRE_MAX_VARINT)) {
        return false;
    }
    output->len += wire_put_varint(output->data + output->len, value);
    return true;
}

bool walk_output_put_number(struct walk_output *output, uint32_t number, uint64_t value)
{
    return value == 0 ||
           (walk_output_put_varint(output, (uint64_t)number << 3 | WIRE_VARINT) && walk_output_put_varint(output, value));
}

static uint64_t length_tag(uint32_t number)
{
    return (uint64_t)number << 3 | WIRE_LENGTH;
}

bool walk_output_put_head(struct walk_output *output, uint32_t number, size_t len, struct bytes front)
{
    if (!walk_output_reserve(output, (size_t)2 * WIRE_MAX_VARINT + front.len)) {
        return false;
    }
    uint8_t *at = output->data + output->len;
    at += wire_put_varint(at, length_tag(number));
    at += wire_put_varint(at, len);
    if (front.len > 0) {
        memcpy(at, front.data, front.len);
    }
    output->len = (size_t)(at - output->data) + front.len;
    return true;
}

bool walk_output_put_field(struct walk_output *output, uint32_t number, struct bytes payload)
{
    return walk_output_put_head(output, number, payload.len, payload);
}

size_t walk_output_open(struct walk_output *output, uint32_t number, size_t expected)
{
    if (!walk_output_reserve(output, (size_t)3 * WIRE_MAX_VARINT)) {
        return SIZE_MAX;
    }
    output->len += wire_put_varint(output->data + output->len, length_tag(number));
    output->len += wire_varint_size(expected);
    return output->len;
}

bool walk_output_close(struct walk_output *output, size_t opened, size_t expected)
{
    size_t len = output->len - opened;
    size_t room = wire_varint_size(expected);
    size_t needed = wire_varint_size(len);
    if (needed != room) {
        if (!walk_output_reserve(output, needed)) {
            return false;
        }
        memmove(output->data + opened - room + needed, output->data + opened, len);
        output->len = opened - room + needed + len;
    }
    wire_put_varint(output->data + opened - room, len);
    return true;
}

struct bytes walk_output_finish(struct walk_output *output)
{
    arena_trim(output->arena, output->data, output->capacity, output->len);
    return bytes_of(output->data, output->len);
}

bool walk_output_without(struct bytes message, uint32_t number, struct arena *arena, struct bytes *rest)
{
    struct walk_output output;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    bool good = walk_output_start(&output, arena, message.len);
    while (good && reader.at < reader.end) {
        good = wire_read_field(&reader, &field) &&
               (field.number == number || walk_output_put(&output, field.start, (size_t)(field.end - field.start)));
    }
    if (good) {
        *rest = walk_output_finish(&output);
    }
    return good;
}
