#include "generation.h"

#include <stdlib.h>
#include <string.h>

struct runtime *generation_find(const struct generation *generation, const char *name)
{
    for (size_t i = 0; generation && i < generation->map->runtime_count; i++) {
        if (strcmp(generation->map->runtimes[i].name, name) == 0) {
            return generation->runtimes[i];
        }
    }
    return NULL;
}

static bool is_same_peer(const struct runtime_entry *old, const struct runtime_entry *entry)
{
    return strcmp(old->endpoint, entry->endpoint) == 0 && old->api_set == entry->api_set &&
           (!entry->api_set || old->api == entry->api);
}

/* The runtime goes on, under its new entry, when calls to it mean the same as before. */
static struct runtime *keep(const struct generation *before, const struct runtime_entry *entry)
{
    struct runtime *runtime = generation_find(before, entry->name);
    if (!runtime) {
        return NULL;
    }
    const struct runtime_entry *old = runtime->entry;
    bool same = is_same_peer(old, entry) && !old->images == !entry->images &&
                (!entry->images || is_same_peer(old->images, entry->images));
    return same ? runtime_ref(runtime) : NULL;
}

static bool fill(struct generation *generation, const struct generation *before,
                 struct runtime *(*make)(void *state, const struct runtime_entry *entry), void *state)
{
    const struct runtime_map *map = generation->map;
    for (size_t i = 0; i < map->runtime_count; i++) {
        struct runtime *runtime = keep(before, &map->runtimes[i]);
        generation->runtimes[i] = runtime ? runtime : make(state, &map->runtimes[i]);
        if (!generation->runtimes[i]) {
            return false;
        }
        generation->plain_count += map->runtimes[i].plain_ids;
    }
    /* Only now, when nothing can fail any more: until then the previous generation may have to stay in force. */
    for (size_t i = 0; i < map->runtime_count; i++) {
        runtime_renew(generation->runtimes[i], map, i);
    }
    return true;
}

struct generation *generation_new(struct runtime_map *map, struct generation *before,
                                  struct runtime *(*make)(void *state, const struct runtime_entry *entry), void *state)
{
    struct generation *generation = calloc(1, sizeof *generation);
    if (!generation) {
        runtime_map_free(map);
        return NULL;
    }
    static uint64_t made;
    *generation = (struct generation){
        .references = 1,
        .number = ++made,
        .map = map,
        .runtimes = calloc(map->runtime_count, sizeof(struct runtime *)),
    };
    if (!generation->runtimes || !fill(generation, before, make, state)) {
        generation_unref(generation);
        return NULL;
    }
    if (before) {
        before->next = generation_ref(generation);
    }
    return generation;
}

struct generation *generation_ref(struct generation *generation)
{
    generation->references++;
    return generation;
}

static void release(struct generation *generation)
{
    for (size_t i = 0; generation->runtimes && i < generation->map->runtime_count; i++) {
        if (generation->runtimes[i]) {
            runtime_unref(generation->runtimes[i]);
        }
    }
    free(generation->runtimes);
    runtime_map_free(generation->map);
    free(generation);
}

void generation_unref(struct generation *generation)
{
    while (generation && --generation->references == 0) {
        struct generation *next = generation->next;
        release(generation);
        generation = next;
    }
}
