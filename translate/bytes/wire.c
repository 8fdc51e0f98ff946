#include "translate/bytes/wire.h"

#define MAX_FIELD_NUMBER ((1U << 29) - 1)

/* Tags and lengths never need more bytes. Decoders disagree about longer encodings of the same number, so these are refused. */
#define MAX_SHORT_VARINT 5

static bool read_varint_within(struct wire_reader *reader, size_t max_bytes, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < max_bytes && reader->at < reader->end; i++) {
        uint8_t byte = *reader->at++;
        if (i == WIRE_MAX_VARINT - 1 && byte > 1) {
            return false;
        }
        sum |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *value = sum;
            return true;
        }
    }
    return false;
}

static bool read_fixed(struct wire_reader *reader, size_t size, uint64_t *value)
{
    if ((size_t)(reader->end - reader->at) < size) {
        return false;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum |= (uint64_t)reader->at[i] << (8 * i);
    }
    reader->at += size;
    *value = sum;
    return true;
}

static bool read_payload(struct wire_reader *reader, struct bytes *payload)
{
    uint64_t length;
    if (!read_varint_within(reader, MAX_SHORT_VARINT, &length) || length > (uint64_t)(reader->end - reader->at)) {
        return false;
    }
    *payload = bytes_of(reader->at, (size_t)length);
    reader->at += length;
    return true;
}

bool wire_read_varint(struct wire_reader *reader, uint64_t *value)
{
    return read_varint_within(reader, WIRE_MAX_VARINT, value);
}

bool wire_read_fixed64(struct wire_reader *reader, uint64_t *value)
{
    return read_fixed(reader, sizeof *value, value);
}

/* Reads what follows a tag. */
static bool read_value(struct wire_reader *reader, struct wire_field *field)
{
    switch (field->type) {
    case WIRE_VARINT:
        return read_varint_within(reader, WIRE_MAX_VARINT, &field->value);
    case WIRE_FIXED64:
        return read_fixed(reader, sizeof(uint64_t), &field->value);
    case WIRE_LENGTH:
        return read_payload(reader, &field->payload);
    case WIRE_FIXED32:
        return read_fixed(reader, sizeof(uint32_t), &field->value);
    case WIRE_GROUP_START:
    case WIRE_GROUP_END:
        break;
    }
    return false;
}

bool wire_read_any_field(struct wire_reader *reader, struct wire_field *field)
{
    *field = (struct wire_field){.start = reader->at};
    uint64_t tag;
    if (!read_varint_within(reader, MAX_SHORT_VARINT, &tag) || tag >> 3 == 0 || tag >> 3 > MAX_FIELD_NUMBER) {
        return false;
    }
    field->number = (uint32_t)(tag >> 3);
    field->type = (enum wire_type)(tag & 7);
    bool read = read_value(reader, field);
    field->end = reader->at;
    return read;
}

bool wire_find_field(struct bytes message, uint32_t number, enum wire_type type, struct wire_field *found)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field) || (field.number == number && field.type != type)) {
            return false;
        }
        if (field.number == number) {
            *found = field;
        }
    }
    return true;
}

bool wire_find_payload(struct bytes message, uint32_t number, struct bytes *payload)
{
    struct wire_field field = {0};
    bool good = wire_find_field(message, number, WIRE_LENGTH, &field);
    *payload = field.payload;
    return good;
}

bool wire_last_field(struct bytes message, uint32_t number, enum wire_type type, struct wire_field *last)
{
    bool found = false;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        if (field.number == number && field.type == type) {
            *last = field;
            found = true;
        }
    }
    return found;
}

struct bytes wire_last_payload(struct bytes message, uint32_t number)
{
    struct wire_field field;
    return wire_last_field(message, number, WIRE_LENGTH, &field) ? field.payload : (struct bytes){0};
}
