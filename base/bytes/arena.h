/* The memory of one call: allocated piece by piece, freed at once. */
#pragma once

#include <stddef.h>

#include "base/bytes/bytes.h"

struct arena;

/* An arena that allocates at most `cap` bytes in all. NULL when out of memory. The caller holds its only reference. */
struct arena *arena_new(size_t cap);

/* Adds a reference, for bytes that outlive the call (those passed to the transport). Safe from any thread. */
struct arena *arena_ref(struct arena *arena);

/* Drops a reference; the last one frees everything. NULL is allowed. Safe from any thread. */
void arena_unref(struct arena *arena);

/* `size` bytes, aligned for any type, not cleared, valid until the arena is freed. NULL if the cap is reached or memory is short.
   Not safe from two threads at once. */
void *arena_alloc(struct arena *arena, size_t size);

/* The same, cleared. */
void *arena_zalloc(struct arena *arena, size_t size);

/* A copy of the bytes. If the input is not empty, a NULL `data` in the result means that memory was short. */
struct bytes arena_copy(struct arena *arena, struct bytes bytes);

/* Several runs of bytes joined; otherwise like arena_copy. */
struct bytes arena_join(struct arena *arena, const struct bytes *parts, size_t count);

/* A NUL-terminated copy, or NULL. */
char *arena_string(struct arena *arena, struct bytes bytes);

/* Returns the end of the newest allocation to the arena: it was `size` bytes, of which only the first `used` are needed; 0: none.
 */
void arena_trim(struct arena *arena, void *newest, size_t size, size_t used);

/* The number of bytes allocated so far. */
size_t arena_used(const struct arena *arena);
