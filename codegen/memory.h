/* The memory of one run of codegen: allocated piece by piece, freed at once at the end. If memory runs out, the program ends. */
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

/* `count` cleared elements of `size` bytes; never NULL. */
void *memory_new(size_t count, size_t size);

/* A formatted text. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the array with room for one more element than `count`. The old array must no longer be used. An array that only this
   function has filled may start as NULL. */
void *memory_grow(void *array, size_t count, size_t size);

/* A message of that kind, decoded with all that it points to; NULL if the bytes are none. */
void *memory_unpack(const ProtobufCMessageDescriptor *kind, const uint8_t *content, size_t size);

/* Frees all of it. */
void memory_free(void);
