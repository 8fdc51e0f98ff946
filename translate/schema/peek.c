#include "translate/schema/peek.h"

#include "translate/bytes/wire.h"

/* Goes down to the message that holds the last field of the path. */
static bool descend(const struct peek_path *path, struct bytes *message)
{
    for (uint8_t i = 0; i + 1 < path->depth; i++) {
        struct wire_field field;
        if (!wire_last_field(*message, path->numbers[i], WIRE_LENGTH, &field)) {
            return false;
        }
        *message = field.payload;
    }
    return path->depth > 0;
}

static bool find(const struct peek_path *path, struct bytes request, enum wire_type type, struct wire_field *field)
{
    return descend(path, &request) && wire_last_field(request, path->numbers[path->depth - 1], type, field);
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
            bytes_equal(wire_last_payload(entry.payload, ENTRY_KEY), key)) {
            value = wire_last_payload(entry.payload, ENTRY_VALUE);
        }
    }
    return value;
}
