#include "translate/bytes/shown.h"

#include "translate/bytes/utf8.h"

#define CUT "..."

/* The control characters from U+0080 to U+009F, which some terminals obey. */
static bool is_c1(struct bytes character)
{
    return character.len == 2 && character.data[0] == 0xC2 && character.data[1] < 0xA0;
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
        bool good = size > 0 && text.data[0] >= ' ' && text.data[0] != 0x7F && !is_c1(character);
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
