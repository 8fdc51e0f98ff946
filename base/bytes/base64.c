#include "base/bytes/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encoded_size(size_t size)
{
    return size / 3 * 4 + (size % 3 ? 4 : 0);
}

void base64_encode(struct bytes bytes, char *out)
{
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)bytes.data[i] << 16;
        group |= left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)bytes.data[i + 2] : 0;
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
        *out++ = left > 2 ? alphabet[group & 63] : '=';
    }
}

size_t base64_decoded_bound(size_t length)
{
    return length / 4 * 3 + 3;
}

/* The six bits of a character; 64 for a character outside the alphabet. */
static uint32_t sextet_of(uint8_t character)
{
    if (character == '-') {
        return 62;
    }
    if (character == '_') {
        return 63;
    }
    const char *found = character ? strchr(alphabet, character) : NULL;
    return found ? (uint32_t)(found - alphabet) : 64;
}

static size_t length_without_padding(struct bytes text)
{
    size_t length = text.len;
    if (length % 4 == 0) {
        for (int i = 0; i < 2 && length > 0 && text.data[length - 1] == '='; i++) {
            length--;
        }
    }
    return length;
}

bool base64_decode(struct bytes text, uint8_t *out, size_t *size)
{
    size_t length = length_without_padding(text);
    if (length % 4 == 1) {
        return false;
    }
    uint32_t group = 0;
    unsigned bits = 0;
    size_t written = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t sextet = sextet_of(text.data[i]);
        if (sextet > 63) {
            return false;
        }
        group = group << 6 | sextet;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[written++] = (uint8_t)(group >> bits);
        }
    }
    *size = written;
    return true;
}
