#include "node/systemd/join.h"

#include <stdarg.h>
#include <string.h>

const char *join_strings(struct arena *arena, ...)
{
    size_t len = 0;
    va_list parts;
    va_start(parts, arena);
    for (const char *part; (part = va_arg(parts, const char *));) {
        len += strlen(part);
    }
    va_end(parts);
    char *text = arena_alloc(arena, len + 1), *at = text;
    if (!text) {
        return NULL;
    }
    va_start(parts, arena);
    for (const char *part; (part = va_arg(parts, const char *));) {
        size_t part_len = strlen(part);
        memcpy(at, part, part_len);
        at += part_len;
    }
    va_end(parts);
    *at = '\0';
    return text;
}
