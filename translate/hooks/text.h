/* Which strings plugins can be sent. */
#pragma once

#include "base/bytes/utf8.h"

static inline bool hook_text_has_nul(struct bytes text)
{
    return text.len > 0 && memchr(text.data, '\0', text.len);
}

/* Whether all bytes are ASCII without NUL, by eight at a time: nearly all text is. */
static inline bool hook_text_is_plain(struct bytes text)
{
    static const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t word, odd = 0; /* in word - ones a byte of 0 borrows, and one above 0x7f has its top bit in word */
    if (text.len < sizeof word) {
        for (size_t i = 0; i < text.len; i++) {
            odd |= text.data[i] | (text.data[i] - UINT64_C(1));
        }
        return (odd & tops) == 0;
    }
    for (size_t at = 0; at < text.len - sizeof word; at += sizeof word) {
        memcpy(&word, text.data + at, sizeof word);
        odd |= word | (word - ones);
    }
    memcpy(&word, text.data + text.len - sizeof word, sizeof word);
    odd |= word | (word - ones);
    return (odd & tops) == 0;
}

/* Protocols require UTF-8, and a NUL would be refused if the plugin sent it back. */
static inline bool hook_text_can_be_sent(struct bytes text)
{
    return hook_text_is_plain(text) || (!hook_text_has_nul(text) && utf8_is_valid(text));
}
