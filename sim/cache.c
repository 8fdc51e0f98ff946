#include "sim/cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim/ids.h"

static uint64_t hash_of(const void *method, struct bytes request)
{
    return hash_of_bytes(request.data, request.len, (uint64_t)(uintptr_t)method);
}

bool cache_find(const struct cache *cache, const void *method, uint64_t generation, unsigned variant, struct bytes request,
                grpc_slice *answer)
{
    uint64_t hash = hash_of(method, request);
    const struct cache_entry *entry = &cache->entries[(hash + variant) % CACHE_ENTRIES];
    if (entry->method != method || entry->generation != generation || entry->variant != variant || entry->hash != hash ||
        !bytes_equal(bytes_of(entry->request, entry->request_size), request)) {
        return false;
    }
    *answer = grpc_slice_ref(entry->answer);
    return true;
}

static void entry_clear(struct cache_entry *entry)
{
    if (entry->method) {
        free(entry->request);
        grpc_slice_unref(entry->answer);
        *entry = (struct cache_entry){0};
    }
}

void cache_put(struct cache *cache, const void *method, uint64_t generation, unsigned variant, struct bytes request,
               grpc_slice answer)
{
    uint64_t hash = hash_of(method, request);
    struct cache_entry *entry = &cache->entries[(hash + variant) % CACHE_ENTRIES];
    entry_clear(entry);
    uint8_t *copy = malloc(request.len + 1);
    if (!copy) {
        return;
    }
    if (request.len > 0) {
        memcpy(copy, request.data, request.len);
    }
    *entry = (struct cache_entry){.method = method,
                                  .generation = generation,
                                  .variant = variant,
                                  .hash = hash,
                                  .request = copy,
                                  .request_size = request.len,
                                  .answer = grpc_slice_ref(answer)};
}

void cache_clear(struct cache *cache)
{
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        entry_clear(&cache->entries[i]);
    }
}
