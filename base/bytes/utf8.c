#include "base/bytes/utf8.h"

/* The first bytes of a character of each size, and the valid second bytes after them; all further bytes are 80 to BF. */
struct lead {
    uint8_t first, last;
    uint8_t size;
    uint8_t second_first, second_last;
};

static const struct lead leads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

static const struct lead *lead_of(uint8_t byte)
{
    for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++) {
        if (byte >= leads[i].first && byte <= leads[i].last) {
            return &leads[i];
        }
    }
    return NULL;
}

size_t utf8_character_size(struct bytes text)
{
    const struct lead *lead = text.len > 0 ? lead_of(text.data[0]) : NULL;
    if (!lead || lead->size > text.len) {
        return 0;
    }
    if (lead->size > 1 && (text.data[1] < lead->second_first || text.data[1] > lead->second_last)) {
        return 0;
    }
    for (size_t i = 2; i < lead->size; i++) {
        if ((text.data[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return lead->size;
}

uint32_t utf8_code(struct bytes character)
{
    static const uint8_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = character.data[0] & lead_bits[character.len];
    for (size_t i = 1; i < character.len; i++) {
        code = code << 6 | (character.data[i] & 0x3f);
    }
    return code;
}

size_t utf8_count_invalid(struct bytes text)
{
    size_t invalid = 0;
    while (text.len > 0) {
        size_t size = utf8_character_size(text);
        invalid += size == 0;
        text = bytes_after(text, size ? size : 1);
    }
    return invalid;
}

bool utf8_is_valid(struct bytes text)
{
    if (utf8_is_ascii(text)) {
        return true;
    }
    while (text.len > 0) {
        size_t size = utf8_character_size(text);
        if (size == 0) {
            return false;
        }
        text = bytes_after(text, size);
    }
    return true;
}
