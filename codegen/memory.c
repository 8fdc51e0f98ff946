#include "codegen/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translate/bytes/packing.h"

#define MEMORY_CAP ((size_t)1 << 30)

static struct arena *arena;

static void out_of_memory(void)
{
    fputs("codegen: out of memory\n", stderr);
    exit(1);
}

static struct arena *the_arena(void)
{
    if (arena == NULL) {
        arena = arena_new(MEMORY_CAP);
    }
    if (arena == NULL) {
        out_of_memory();
    }
    return arena;
}

void *memory_new(size_t count, size_t size)
{
    if (size != 0 && count > MEMORY_CAP / size) {
        out_of_memory();
    }
    void *memory = arena_zalloc(the_arena(), count * size > 0 ? count * size : 1);
    if (memory == NULL) {
        out_of_memory();
    }
    return memory;
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        out_of_memory();
    }
    char *text = memory_new((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *memory_grow(void *array, size_t count, size_t size)
{
    /* The array is full at length 0 and at powers of two: then it doubles. */
    if ((count & (count - 1)) != 0) {
        return array;
    }
    void *bigger = memory_new(count == 0 ? 1 : 2 * count, size);
    if (count > 0) {
        memcpy(bigger, array, count * size);
    }
    return bigger;
}

void *memory_unpack(const ProtobufCMessageDescriptor *kind, const uint8_t *content, size_t size)
{
    return arena_unpack(the_arena(), kind, bytes_of(content, size));
}

void memory_free(void)
{
    arena_unref(arena);
    arena = NULL;
}
