#include "translate/docker/object.h"

#include "translate/json/scan.h"

/* The letter that Go's encoding/json compares, and how many bytes the character has. Others than letters are themselves. */
static uint8_t folded(struct bytes text, size_t *size)
{
    uint8_t first = text.data[0];
    *size = 1;
    if (bytes_start_with(text, bytes_of_string("\xc5\xbf"))) { /* the long s */
        *size = 2;
        return 's';
    }
    if (bytes_start_with(text, bytes_of_string("\xe2\x84\xaa"))) { /* the Kelvin sign */
        *size = 3;
        return 'k';
    }
    return first >= 'A' && first <= 'Z' ? (uint8_t)(first | 0x20) : first;
}

/* Whether Go takes both for one key. */
static bool is_same_to_go(struct bytes key, const char *name)
{
    struct bytes rest = bytes_of_string(name);
    size_t key_size, name_size;
    while (key.len > 0 && rest.len > 0) {
        if (folded(key, &key_size) != folded(rest, &name_size)) {
            return false;
        }
        key = bytes_after(key, key_size);
        rest = bytes_after(rest, name_size);
    }
    return key.len == 0 && rest.len == 0;
}

/* Decodes a key that is between quotes. One that is not text cannot be ours: Go puts replacement characters into it. */
static bool decode_key(struct bytes *key, struct arena *arena)
{
    return !memchr(key->data, '\\', key->len) || json_scan_string(bytes_of(key->data - 1, key->len + 2), arena, key);
}

static bool take_member(struct bytes key, struct bytes value, const char *const *keys, size_t count, struct bytes *values,
                        struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_same_to_go(key, keys[i])) {
            continue;
        }
        if (values[i].data || !bytes_equal(key, bytes_of_string(keys[i]))) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the key %s occurs %s", keys[i],
                             values[i].data ? "twice" : "in another form");
        }
        values[i] = value;
    }
    return true;
}

bool docker_object_read(struct bytes text, const char *const *keys, size_t count, struct arena *arena, struct bytes *values,
                        struct error *error)
{
    struct json_scan scan;
    struct bytes key, value;
    memset(values, 0, count * sizeof *values);
    if (!json_scan_open(text, true, &scan)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "not a JSON object");
    }
    while (json_scan_next(&scan, &key, &value)) {
        if (decode_key(&key, arena) && !take_member(key, value, keys, count, values, error)) {
            return false;
        }
    }
    return !scan.malformed || error_set(error, STATUS_INVALID_ARGUMENT, "not JSON");
}

bool docker_is_null(struct bytes value)
{
    return value.len == 0 || bytes_equal(value, bytes_of_string("null"));
}

bool docker_read_number(const char *key, struct bytes value, int64_t *number, struct error *error)
{
    *number = 0;
    return docker_is_null(value) || json_scan_int64(value, number) ||
           error_set(error, STATUS_INVALID_ARGUMENT, "%s: not a whole number of 64 bits", key);
}

bool docker_read_text(const char *key, struct bytes value, struct arena *arena, struct bytes *text, struct error *error)
{
    *text = (struct bytes){0};
    return docker_is_null(value) || json_scan_string(value, arena, text) ||
           error_set(error, STATUS_INVALID_ARGUMENT, "%s: not a string, or one with a NUL or that is not UTF-8", key);
}
