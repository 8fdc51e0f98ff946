#include "node/files/text_edit.h"

struct bytes text_replace(struct bytes text, size_t offset, size_t length, struct bytes by, struct arena *arena)
{
    if (offset > text.len || length > text.len - offset || by.len > SIZE_MAX - 1 - text.len) {
        return bytes_of(NULL, 0);
    }
    const struct bytes parts[] = {bytes_of(text.data, offset), by, bytes_after(text, offset + length), bytes_of("", 1)};
    struct bytes joined = arena_join(arena, parts, sizeof parts / sizeof *parts);
    return bytes_of(joined.data, joined.data ? joined.len - 1 : 0);
}
