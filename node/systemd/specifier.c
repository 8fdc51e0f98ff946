#include "node/systemd/specifier.h"

#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>

static const char *copy(struct arena *arena, const char *text, size_t len)
{
    return arena_string(arena, bytes_of(text, len));
}

/* ---- parts of the unit's name: PREFIX@INSTANCE.service ---- */

static const char *prefix(const char *unit, struct arena *arena)
{
    size_t len = strcspn(unit, "@");
    const char *dot = strrchr(unit, '.');
    return copy(arena, unit, unit[len] || !dot ? len : (size_t)(dot - unit));
}

static const char *instance(const char *unit, struct arena *arena)
{
    const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.');
    return at && dot > at ? copy(arena, at + 1, (size_t)(dot - at - 1)) : "";
}

static const char *without_suffix(const char *unit, struct arena *arena)
{
    const char *dot = strrchr(unit, '.');
    return copy(arena, unit, dot ? (size_t)(dot - unit) : strlen(unit));
}

/* Names in which systemd has escaped nothing are the same without escapes. */
static const char *unescaped(const char *text)
{
    return text && !strpbrk(text, "\\-") ? text : NULL;
}

static const char *of_name(char letter, const char *unit, struct arena *arena)
{
    switch (letter) {
    case 'n':
        return copy(arena, unit, strlen(unit));
    case 'N':
        return without_suffix(unit, arena);
    case 'p':
        return prefix(unit, arena);
    case 'P':
        return unescaped(prefix(unit, arena));
    case 'i':
        return instance(unit, arena);
    case 'I':
        return unescaped(instance(unit, arena));
    default:
        return NULL;
    }
}

/* ---- the node's ---- */

static const char *of_system(char letter, struct arena *arena)
{
    struct utsname system;
    if (!strchr("Hlv", letter) || uname(&system) != 0) {
        return NULL;
    }
    const char *text = letter == 'v' ? system.release : system.nodename;
    return copy(arena, text, letter == 'l' ? strcspn(text, ".") : strlen(text));
}

static const char *of_file(char letter, const char *fragment, struct arena *arena)
{
    const char *slash = strrchr(fragment, '/');
    if (letter == 'y') {
        return copy(arena, fragment, strlen(fragment));
    }
    return letter == 'Y' && slash ? copy(arena, fragment, (size_t)(slash - fragment)) : NULL;
}

const char *specifier_value(char letter, const char *unit, const char *fragment, struct arena *arena)
{
    static const struct {
        char letter;
        const char *value;
    } fixed[] = {
        {'%', "%"},    {'t', "/run"}, {'S', "/var/lib"}, {'C', "/var/cache"}, {'L', "/var/log"},
        {'E', "/etc"}, {'T', "/tmp"}, {'V', "/var/tmp"}, {'u', "root"},       {'U', "0"},
        {'g', "root"}, {'G', "0"},    {'h', "/root"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (fixed[i].letter == letter) {
            return fixed[i].value;
        }
    }
    const char *value = of_name(letter, unit, arena);
    value = value ? value : of_system(letter, arena);
    return value ? value : of_file(letter, fragment, arena);
}
