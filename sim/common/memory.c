#include "sim/common/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *present(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

void *sim_zeroed(size_t count, size_t size)
{
    return present(calloc(count, size));
}

void *sim_grown(void *array, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; /* at length 0 and at powers of two: then it doubles */
    return full ? present(realloc(array, (count ? 2 * count : 1) * size)) : array;
}

char *sim_text(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return present(length < 0 ? NULL : text);
}

char *sim_filler(size_t size)
{
    char *filler = sim_zeroed(size + 1, 1);
    return memset(filler, 'x', size);
}
