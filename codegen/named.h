/* Arrays of structs that begin with their name. */
#pragma once

#include <stddef.h>

/* The first of `count` elements of `size` bytes whose name that is, or NULL. Names in the array may be NULL. */
void *named_find(const void *array, size_t count, size_t size, const char *name);

/* The same in an array of pointers to such structs. */
void *named_find_pointer(const void *array, size_t count, const char *name);
