#include "translate/schema/peek.h"

#include "translate/bytes/wire.h"

/* The last occurrence of a field; false when there is none before the end or before malformed bytes. */
static bool last_field(struct bytes message, uint32_t number, enum wire_type type, struct wire_field *last)
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

/* The last string or bytes under that number; empty when it is absent, as decoders have it. */
static struct bytes last_bytes(struct bytes message, uint32_t number)
{
    struct wire_field field;
    return last_field(message, number, WIRE_LENGTH, &field) ? field.payload : (struct bytes){0};
}

/* Goes down to the message that holds the last field of the path. */
static bool descend(const struct peek_path *path, struct bytes *message)
{
    for (uint8_t i = 0; i + 1 < path->depth; i++) {
        struct wire_field field;
        if (!last_field(*message, path->numbers[i], WIRE_LENGTH, &field)) {
            return false;
        }
        *message = field.payload;
    }
    return path->depth > 0;
}

static bool find(const struct peek_path *path, struct bytes request, enum wire_type type, struct wire_field *field)
{
    return descend(path, &request) && last_field(request, path->numbers[path->depth - 1], type, field);
}

struct bytes peek_bytes(const struct method *method, enum dialect dialect, enum peek what, struct bytes request)
{
    struct wire_field field;
    bool found = find(&method->in[dialect].peeks[what], request, WIRE_LENGTH, &field);
    return found ? field.payload : (struct bytes){0};
}

bool peek_bool(const struct method *method, enum dialect dialect, enum peek what, struct bytes request)
{
    struct wire_field field;
    return find(&method->in[dialect].peeks[what], request, WIRE_VARINT, &field) && field.value != 0;
}

struct bytes peek_map(const struct method *method, enum dialect dialect, enum peek what, struct bytes request, struct bytes key)
{
    enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
    const struct peek_path *path = &method->in[dialect].peeks[what];
    struct bytes value = {0};
    if (!descend(path, &request)) {
        return value;
    }
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field entry;
    while (reader.at < reader.end && wire_read_field(&reader, &entry)) {
        if (entry.number == path->numbers[path->depth - 1] && entry.type == WIRE_LENGTH &&
            bytes_equal(last_bytes(entry.payload, ENTRY_KEY), key)) {
            value = last_bytes(entry.payload, ENTRY_VALUE);
        }
    }
    return value;
}
