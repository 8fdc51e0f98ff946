#include "translate/bytes/slice.h"

#include <limits.h>

#include "translate/bytes/output.h"

/* The part of a slice's name before ".slice", or nothing if it is not the usual name of one. */
static struct bytes slice_stem(struct bytes name)
{
    static const char suffix[] = ".slice";
    size_t len = sizeof suffix - 1;
    if (name.len <= len || name.len > NAME_MAX || memchr(name.data, '/', name.len) ||
        memcmp(name.data + name.len - len, suffix, len) != 0) {
        return (struct bytes){0};
    }
    struct bytes stem = bytes_of(name.data, name.len - len);
    for (size_t i = 0; i < stem.len; i++) {
        if (stem.data[i] == '-' && (i == 0 || i + 1 == stem.len || stem.data[i - 1] == '-')) {
            return (struct bytes){0};
        }
    }
    return stem;
}

char *slice_path(struct bytes name, struct arena *arena)
{
    struct bytes stem = slice_stem(name);
    struct walk_output path;
    if (stem.len == 0) {
        return arena_string(arena, name);
    }
    bool good = walk_output_start(&path, arena, 4 * name.len);
    for (size_t i = 0; i <= stem.len && good; i++) {
        if (i == stem.len || stem.data[i] == '-') {
            good = walk_output_put(&path, "/", 1) && walk_output_put(&path, stem.data, i) && walk_output_put(&path, ".slice", 6);
        }
    }
    return good ? arena_string(arena, walk_output_finish(&path)) : NULL;
}

bool slice_is_name(struct bytes name)
{
    return slice_stem(name).len > 0;
}
