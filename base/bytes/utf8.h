/* Which bytes are valid UTF-8. */
#pragma once

#include "base/bytes/bytes.h"

/* The number of bytes of the character at the start of `text` (1 to 4); 0 if it is not valid. Overlong forms and surrogates are
   not valid. */
size_t utf8_character_size(struct bytes text);

/* The code point of a whole valid character. */
uint32_t utf8_code(struct bytes character);

/* The number of bytes of `text` that belong to no valid character. */
size_t utf8_count_invalid(struct bytes text);

/* Whether all of it is valid. */
bool utf8_is_valid(struct bytes text);

/* Whether all bytes are below 0x80: then any part of them is valid text, and so is each string of a message in them. Inline,
   because nearly all of CRI is ASCII. */
static inline bool utf8_is_ascii(struct bytes text)
{
    const uint8_t *at = text.data, *end = text.data + text.len;
    uint64_t all = 0, pair[2];
    uint32_t halves[2];
    if (text.len >= sizeof pair) {
        for (; (size_t)(end - at) > sizeof pair; at += sizeof pair) {
            memcpy(pair, at, sizeof pair);
            all |= pair[0] | pair[1];
        }
        memcpy(pair, end - sizeof pair, sizeof pair);
        all |= pair[0] | pair[1];
    } else if (text.len >= sizeof pair[0]) {
        memcpy(&pair[0], at, sizeof pair[0]);
        memcpy(&pair[1], end - sizeof pair[1], sizeof pair[1]);
        all = pair[0] | pair[1];
    } else if (text.len >= sizeof halves[0]) {
        memcpy(&halves[0], at, sizeof halves[0]);
        memcpy(&halves[1], end - sizeof halves[1], sizeof halves[1]);
        all = halves[0] | halves[1];
    } else {
        while (at < end) {
            all |= *at++;
        }
    }
    return (all & UINT64_C(0x8080808080808080)) == 0;
}
