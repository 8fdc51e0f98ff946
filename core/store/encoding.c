#include "core/store/encoding.h"

#include "base/system/keyed_hash.h"

void encoder_put_number(struct encoder *encoder, uint64_t number, size_t size)
{
    for (size_t i = 0; encoder->data && i < size; i++) {
        encoder->data[encoder->len + i] = (uint8_t)(number >> (8 * i));
    }
    encoder->len += size;
}

void encoder_put_raw(struct encoder *encoder, struct bytes bytes)
{
    if (encoder->data && bytes.len > 0) {
        memcpy(encoder->data + encoder->len, bytes.data, bytes.len);
    }
    encoder->len += bytes.len;
}

void encoder_put_bytes(struct encoder *encoder, struct bytes bytes)
{
    encoder_put_number(encoder, bytes.len, ENCODED_LENGTH);
    encoder_put_raw(encoder, bytes);
}

void encoder_put_owner(struct encoder *encoder, const struct state_file *place, struct bytes boot)
{
    encoder_put_bytes(encoder, bytes_of_string(place->name));
    encoder_put_bytes(encoder, bytes_of_string(place->endpoint));
    encoder_put_bytes(encoder, boot);
}

bool decode_damaged(struct error *error, const char *what)
{
    return error_set(error, STATUS_DATA_LOSS, "the file is damaged: %s", what);
}

bool decode_number(struct bytes *rest, size_t size, uint64_t *number)
{
    if (rest->len < size) {
        return false;
    }
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        *number |= (uint64_t)rest->data[i] << (8 * i);
    }
    *rest = bytes_after(*rest, size);
    return true;
}

bool decode_bytes(struct bytes *rest, struct bytes *bytes)
{
    uint64_t len;
    if (!decode_number(rest, ENCODED_LENGTH, &len) || len > rest->len) {
        return false;
    }
    *bytes = bytes_of(rest->data, (size_t)len);
    *rest = bytes_after(*rest, (size_t)len);
    return true;
}

bool decode_start(struct bytes *rest, struct bytes magic, uint32_t version, const char *what, struct error *error)
{
    uint64_t found;
    if (rest->len < magic.len && bytes_start_with(magic, *rest)) {
        return decode_damaged(error, "it is truncated");
    }
    if (!bytes_start_with(*rest, magic)) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "it is not a file of %s", what);
    }
    *rest = bytes_after(*rest, magic.len);
    if (!decode_number(rest, 4, &found)) {
        return decode_damaged(error, "it is truncated");
    }
    return found == version ||
           error_set(error, STATUS_FAILED_PRECONDITION, "the file has version %u; this crigate reads version %u", (unsigned)found,
                     (unsigned)version);
}

bool decode_owner(struct bytes *rest, const struct state_file *place, struct bytes boot, struct error *error)
{
    const struct {
        struct bytes expected;
        const char *what;
    } parts[] = {
        {bytes_of_string(place->name), "runtime"},
        {bytes_of_string(place->endpoint), "endpoint"},
        {boot, "boot of the node"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct bytes found;
        if (!decode_bytes(rest, &found)) {
            return decode_damaged(error, "it is truncated");
        }
        if (!bytes_equal(found, parts[i].expected)) {
            return error_set(error, STATUS_FAILED_PRECONDITION, "the file belongs to another %s", parts[i].what);
        }
    }
    return true;
}

uint64_t encoded_checksum(uint32_t version, struct bytes bytes)
{
    const struct hash_key everybodys = {{version, 0}};
    return keyed_hash(&everybodys, bytes);
}
