#include "base/bytes/shown.h"

#include "base/bytes/utf8.h"

#define CUT "..."

/* Bidi_Control: Unicode, PropList.txt. */
bool shown_code(uint32_t code)
{
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
    bool reorders = code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                    (code >= 0x2066 && code <= 0x2069);
    return !control && !reorders;
}

bool shown_character(struct bytes text, size_t size)
{
    return size > 0 && shown_code(utf8_code(bytes_of(text.data, size)));
}

const char *shown_text(struct bytes text, struct arena *arena)
{
    char *out = arena_alloc(arena, SHOWN_MOST + sizeof CUT);
    size_t used = 0;
    if (!out) {
        return "";
    }
    while (text.len > 0) {
        size_t size = utf8_character_size(text);
        struct bytes character = bytes_of(text.data, size > 0 ? size : 1);
        bool good = shown_character(text, size);
        if (used + character.len > SHOWN_MOST) {
            memcpy(out + used, CUT, strlen(CUT));
            used += strlen(CUT);
            break;
        }
        memcpy(out + used, good ? (const char *)character.data : "?", good ? character.len : 1);
        used += good ? character.len : 1;
        text = bytes_after(text, character.len);
    }
    out[used] = '\0';
    return out;
}
