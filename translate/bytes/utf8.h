/* What is a character in UTF-8 and what is not. */
#pragma once

#include "translate/bytes/bytes.h"

/* How many bytes the character at the start of `text` takes (1 to 4); 0 when there is no valid one: overlong forms and
   surrogates are none. */
size_t utf8_character_size(struct bytes text);

/* How many bytes of `text` are part of no valid character. */
size_t utf8_count_invalid(struct bytes text);

/* Whether all of it is valid. */
bool utf8_is_valid(struct bytes text);

/* Whether all bytes are below 80: then any part of them is valid text, and so is whatever strings a message consists of. In line,
   for nearly all of CRI is. */
static inline bool utf8_is_ascii(struct bytes text)
{
    const uint8_t *at = text.data, *end = text.data + text.len;
    uint64_t all = 0, word;
    if (text.len < sizeof word) {
        while (at < end) {
            all |= *at++;
        }
        return all < 0x80;
    }
    for (; (size_t)(end - at) > sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        all |= word;
    }
    memcpy(&word, end - sizeof word, sizeof word);
    return ((all | word) & UINT64_C(0x8080808080808080)) == 0;
}
