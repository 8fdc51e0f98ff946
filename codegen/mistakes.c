#include "codegen/mistakes.h"

#include <stdarg.h>
#include <stdio.h>

static size_t count;

void mistake(struct place place, const char *format, ...)
{
    count++;
    if (place.line > 0) {
        fprintf(stderr, "codegen: %s:%zu:%zu: ", place.file, place.line, place.column);
    } else {
        fprintf(stderr, "codegen: %s: ", place.file);
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void mistake_unless(struct place place, const char *entry, const char *word, bool said)
{
    if (!said) {
        mistake(place, "%s: `%s` is missing", entry, word);
    }
}

size_t mistakes_count(void)
{
    return count;
}
