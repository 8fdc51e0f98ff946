#include "node/files/yaml_quote.h"

#include <stdio.h>
#include <strings.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define ESCAPE_SIZE sizeof "\\u0000"

/* Words that some readers do not take for a string. Numbers, dates and the like do not begin with a letter. */
static bool is_special(const char *text)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool may_be_plain(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && strchr(LETTERS "/", text[0]) && strspn(text, LETTERS "0123456789/._:@+=-") == len && text[len - 1] != ':' &&
           !is_special(text);
}

struct bytes yaml_quote(const char *text, bool quoted, struct arena *arena)
{
    size_t len = strlen(text);
    if (!quoted && may_be_plain(text)) {
        return arena_copy(arena, bytes_of(text, len));
    }
    if (len > (SIZE_MAX - 2) / ESCAPE_SIZE) {
        return bytes_of(NULL, 0);
    }
    size_t size = len * (ESCAPE_SIZE - 1) + 3;
    char *result = arena_alloc(arena, size);
    size_t at = 0;
    if (!result) {
        return bytes_of(NULL, 0);
    }
    result[at++] = '"';
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter < ' ' || letter == 0x7f) {
            at += (size_t)snprintf(result + at, ESCAPE_SIZE, "\\u%04x", letter);
        } else {
            if (letter == '"' || letter == '\\') {
                result[at++] = '\\';
            }
            result[at++] = *text;
        }
    }
    result[at++] = '"';
    arena_trim(arena, result, size, at);
    return bytes_of(result, at);
}
