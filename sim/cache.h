/* Encoded answers by method, request and variant (of what is another answer each time; else 0), good as long as the simulation
   does not change. */
#pragma once

#include <grpc/slice.h>

#include "translate/bytes/bytes.h"

#define CACHE_ENTRIES 1024

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

/* Whether an answer is there; `answer` is then a reference of the caller's. */
bool cache_find(const struct cache *cache, const void *method, uint64_t generation, unsigned variant, struct bytes request,
                grpc_slice *answer);

/* Keeps another reference to the answer, in the place of whatever was there. */
void cache_put(struct cache *cache, const void *method, uint64_t generation, unsigned variant, struct bytes request,
               grpc_slice answer);

void cache_clear(struct cache *cache);
