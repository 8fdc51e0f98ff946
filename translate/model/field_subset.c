#include "translate/model/field_subset.h"

#include "translate/bytes/wire.h"

/* The field's bit, if the subset has it. */
static uint64_t bit_in(uint64_t subset, const struct wire_field *field)
{
    return field->number < 64 ? subset & UINT64_C(1) << field->number : 0;
}

static uint8_t *put(uint8_t *out, const struct wire_field *field)
{
    size_t len = (size_t)(field->end - field->start);
    memcpy(out, field->start, len);
    return out + len;
}

static uint8_t *put_all_in(uint64_t subset, struct bytes message, uint8_t *out)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        out = bit_in(subset, &field) ? put(out, &field) : out;
    }
    return out;
}

static struct bytes trimmed(struct arena *arena, uint8_t *data, size_t size, const uint8_t *end)
{
    size_t len = (size_t)(end - data);
    arena_trim(arena, data, size, len);
    return bytes_of(data, len);
}

bool field_subset_take(struct bytes message, uint64_t subset, struct arena *arena, struct bytes *fields)
{
    *fields = message;
    if (subset == FIELD_SUBSET_ALL) {
        return true;
    }
    uint8_t *data = arena_alloc(arena, message.len);
    if (!data) {
        return false;
    }
    *fields = trimmed(arena, data, message.len, put_all_in(subset, message, data));
    return true;
}

bool field_subset_put(struct bytes message, uint64_t subset, struct bytes fields, struct arena *arena, struct bytes *changed)
{
    *changed = fields;
    if (subset == FIELD_SUBSET_ALL) {
        return true;
    }
    size_t size = message.len + fields.len;
    uint8_t *data = arena_alloc(arena, size);
    if (!data) {
        return false;
    }
    uint8_t *end = data;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    uint64_t left = subset;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        uint64_t bit = bit_in(subset, &field);
        if (!bit) {
            end = put(end, &field);
        } else if (left & bit) {
            end = put_all_in(bit, fields, end);
            left &= ~bit;
        }
    }
    *changed = trimmed(arena, data, size, put_all_in(left, fields, end));
    return true;
}
