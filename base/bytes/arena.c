#include "base/bytes/arena.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A small call fits into the first chunk; an allocation that is bigger than a chunk gets a chunk of its own. */
#define FIRST_CHUNK 8192
#define NEXT_CHUNK 65536

struct chunk {
    struct chunk *previous;
    size_t size; /* of `memory` */
    size_t used;
    alignas(max_align_t) uint8_t memory[];
};

struct arena {
    atomic_uint references;
    size_t cap;
    size_t handed_out;
    struct chunk *newest;
};

static struct chunk *chunk_new(struct chunk *previous, size_t size)
{
    struct chunk *chunk = malloc(sizeof *chunk + size);
    if (chunk) {
        chunk->previous = previous;
        chunk->size = size;
        chunk->used = 0;
    }
    return chunk;
}

static size_t aligned(size_t size)
{
    return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

/* The arena itself lies at the start of its first chunk: one malloc for a small call. */
struct arena *arena_new(size_t cap)
{
    struct chunk *chunk = chunk_new(NULL, FIRST_CHUNK);
    if (!chunk) {
        return NULL;
    }
    struct arena *arena = (struct arena *)(void *)chunk->memory;
    chunk->used = aligned(sizeof *arena);
    atomic_init(&arena->references, 1);
    arena->cap = cap;
    arena->handed_out = 0;
    arena->newest = chunk;
    return arena;
}

struct arena *arena_ref(struct arena *arena)
{
    atomic_fetch_add_explicit(&arena->references, 1, memory_order_relaxed);
    return arena;
}

void arena_unref(struct arena *arena)
{
    if (!arena || atomic_fetch_sub_explicit(&arena->references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    struct chunk *chunk = arena->newest;
    while (chunk) {
        struct chunk *previous = chunk->previous;
        free(chunk);
        chunk = previous;
    }
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > arena->cap || arena->handed_out > arena->cap - size) {
        return NULL;
    }
    size_t rounded = aligned(size ? size : 1);
    struct chunk *chunk = arena->newest;
    if (rounded > chunk->size - chunk->used) {
        chunk = chunk_new(chunk, rounded > NEXT_CHUNK ? rounded : NEXT_CHUNK);
        if (!chunk) {
            return NULL;
        }
        arena->newest = chunk;
    }
    void *memory = chunk->memory + chunk->used;
    chunk->used += rounded;
    arena->handed_out += rounded;
    return memory;
}

void *arena_zalloc(struct arena *arena, size_t size)
{
    void *memory = arena_alloc(arena, size);
    return memory ? memset(memory, 0, size) : NULL;
}

struct bytes arena_copy(struct arena *arena, struct bytes bytes)
{
    if (bytes.len == 0) {
        return bytes_of(NULL, 0);
    }
    void *memory = arena_alloc(arena, bytes.len);
    return bytes_of(memory ? memcpy(memory, bytes.data, bytes.len) : NULL, bytes.len);
}

struct bytes arena_join(struct arena *arena, const struct bytes *parts, size_t count)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        len += parts[i].len;
    }
    uint8_t *data = len > 0 ? arena_alloc(arena, len) : NULL;
    for (size_t i = 0, at = 0; data && i < count; at += parts[i++].len) {
        if (parts[i].len > 0) {
            memcpy(data + at, parts[i].data, parts[i].len);
        }
    }
    return bytes_of(data, len);
}

char *arena_string(struct arena *arena, struct bytes bytes)
{
    char *text = arena_alloc(arena, bytes.len + 1);
    if (!text) {
        return NULL;
    }
    if (bytes.len > 0) {
        memcpy(text, bytes.data, bytes.len);
    }
    text[bytes.len] = '\0';
    return text;
}

void arena_trim(struct arena *arena, void *newest, size_t size, size_t used)
{
    struct chunk *chunk = arena->newest;
    size_t whole = aligned(size ? size : 1);
    size_t kept = aligned(used);
    if (chunk->used >= whole && chunk->memory + chunk->used - whole == (uint8_t *)newest) {
        chunk->used -= whole - kept;
        arena->handed_out -= whole - kept;
    }
}

size_t arena_used(const struct arena *arena)
{
    return arena->handed_out;
}
