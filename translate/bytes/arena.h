/* The memory of one call: allocated piece by piece, freed at once. */
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "translate/bytes/bytes.h"

struct arena;

/* An arena that hands out at most `cap` bytes in all. NULL when there is no memory. The caller holds the one reference. */
struct arena *arena_new(size_t cap);

/* Another reference, for bytes that outlive the call (those handed to the transport). Safe from any thread. */
struct arena *arena_ref(struct arena *arena);

/* Gives a reference back; the last one frees everything. NULL is allowed. Safe from any thread. */
void arena_unref(struct arena *arena);

/* `size` bytes, aligned for any type, not cleared, valid until the arena ends. NULL when the cap is reached or memory is
   short. Not safe from two threads at once. */
void *arena_alloc(struct arena *arena, size_t size);

/* The same, cleared. */
void *arena_zalloc(struct arena *arena, size_t size);

/* A copy of the bytes. A NULL `data` in the answer for input that is not empty says that there was no memory. */
struct bytes arena_copy(struct arena *arena, struct bytes bytes);

/* Several runs of bytes in a row, as arena_copy does it. */
struct bytes arena_join(struct arena *arena, const struct bytes *parts, size_t count);

/* A NUL-terminated copy, or NULL. */
char *arena_string(struct arena *arena, struct bytes bytes);

/* Gives the tail of the newest allocation back: it was `size` bytes and only the first `used` are needed; 0: none of it. */
void arena_trim(struct arena *arena, void *newest, size_t size, size_t used);

/* Bytes handed out so far. */
size_t arena_used(const struct arena *arena);

/* The message encoded, in the arena. false when there is no memory. */
bool arena_pack(struct arena *arena, const ProtobufCMessage *message, struct bytes *packed);

/* For protobuf-c: allocates from the arena, frees nothing. Lives as long as the arena. */
ProtobufCAllocator *arena_protobuf_allocator(struct arena *arena);
