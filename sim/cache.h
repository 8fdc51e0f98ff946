/* Caches encoded answers by method, request and variant (for answers that differ each time; else 0), until the simulation
 * changes.
 */
#pragma once

#include <grpc/slice.h>

#include "base/bytes/bytes.h"

/* Two requests that fall on one place replace each other: many more places than requests that are to be repeated. */
#define CACHE_ENTRIES 16384

struct cache_entry {
    const void *method; /* identity of method and dialect; NULL: free */
    uint64_t generation;
    unsigned variant;
    uint64_t hash;
    uint8_t *request;
    size_t request_size;
    grpc_slice answer;
};

/* Zero-initialised is empty. */
struct cache {
    struct cache_entry entries[CACHE_ENTRIES];
};

/* Whether an answer is cached; `answer` is then a reference for the caller. */
bool cache_find(const struct cache *cache, const void *method, uint64_t generation, unsigned variant, struct bytes request,
                grpc_slice *answer);

/* Stores another reference to the answer, in place of an older one. */
void cache_put(struct cache *cache, const void *method, uint64_t generation, unsigned variant, struct bytes request,
               grpc_slice answer);

void cache_clear(struct cache *cache);
