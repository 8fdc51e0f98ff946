#include "codegen/named.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool has_name(const void *element, const char *name)
{
    const char *own;
    memcpy(&own, element, sizeof(own));
    return own != NULL && strcmp(own, name) == 0;
}

void *named_find(const void *array, size_t count, size_t size, const char *name)
{
    for (const char *element = array; count > 0; count--, element += size) {
        if (has_name(element, name)) {
            return (void *)(uintptr_t)element;
        }
    }
    return NULL;
}

void *named_find_pointer(const void *array, size_t count, const char *name)
{
    for (void *const *element = array; count > 0; count--, element++) {
        if (has_name(*element, name)) {
            return *element;
        }
    }
    return NULL;
}
