#include "translate/abilities/version.h"

#define MOST_DIGITS 9

/* Reads a number, and moves on behind it. */
static bool read_number(const char **text, uint32_t *number)
{
    const char *at = *text;
    *number = 0;
    while (*at >= '0' && *at <= '9' && at - *text <= MOST_DIGITS) {
        *number = *number * 10 + (uint32_t)(*at++ - '0');
    }
    bool read = at > *text && at - *text <= MOST_DIGITS;
    *text = at;
    return read;
}

bool version_read(const char *text, struct version *version)
{
    *version = (struct version){0};
    text += *text == 'v' || *text == 'V';
    if (!read_number(&text, &version->major) || *text++ != '.' || !read_number(&text, &version->minor)) {
        return false;
    }
    if (text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
        text++;
        if (!read_number(&text, &version->patch)) {
            return false;
        }
    }
    return version->major > 0 || version->minor > 0 || version->patch > 0;
}

bool version_is_before(const struct version *a, const struct version *b)
{
    if (a->major != b->major) {
        return a->major < b->major;
    }
    return a->minor != b->minor ? a->minor < b->minor : a->patch < b->patch;
}

bool version_is_in(const struct version *version, const struct version_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!version_is_before(version, &ranges[i].from) && version_is_before(version, &ranges[i].before)) {
            return true;
        }
    }
    return false;
}
