#include "core/store/last_known_items.h"

#include <stdlib.h>
#include <string.h>

#define SMALLEST_TABLE 64

bool last_known_malformed(struct error *error, const char *what)
{
    return error_set(error, STATUS_INTERNAL, "%s is malformed", what);
}

bool last_known_no_room(const struct last_known *store, struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "what was last known takes more than %zu bytes, or memory is short",
                     store->limit);
}

bool last_known_set_content(struct last_known *store, struct content *content, struct pieces bytes)
{
    size_t len = pieces_length(bytes);
    uint8_t *data = malloc(len ? len : 1);
    if (!data) {
        return false;
    }
    pieces_copy(bytes, data);
    *content = (struct content){.data = data, .len = len};
    store->used += len;
    return true;
}

void last_known_clear_content(struct last_known *store, struct content *content)
{
    store->used -= content->len;
    free(content->data);
    *content = (struct content){0};
}

/* ---- things ---- */

static uint64_t hash_of(const struct last_known *store, enum id_kind kind, struct bytes id)
{
    return keyed_hash(&store->key, id) + (uint64_t)kind;
}

struct thing *last_known_find(const struct last_known *store, enum id_kind kind, struct bytes id)
{
    if (store->count == 0) {
        return NULL;
    }
    uint64_t hash = hash_of(store, kind, id);
    struct thing *thing = store->table[hash & (store->capacity - 1)];
    while (thing && (thing->hash != hash || thing->kind != kind || !bytes_equal(last_known_id(thing), id))) {
        thing = thing->next;
    }
    return thing;
}

static bool resize(struct last_known *store, size_t capacity)
{
    struct thing **table = calloc(capacity, sizeof(struct thing *));
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < store->capacity; i++) {
        while (store->table[i]) {
            struct thing *thing = store->table[i];
            struct thing **place = &table[thing->hash & (capacity - 1)];
            store->table[i] = thing->next;
            thing->next = *place;
            *place = thing;
        }
    }
    free(store->table);
    store->table = table;
    store->used += (capacity - store->capacity) * sizeof(struct thing *);
    store->capacity = capacity;
    return true;
}

bool last_known_make_table(struct last_known *store)
{
    return resize(store, SMALLEST_TABLE);
}

struct thing *last_known_find_or_add(struct last_known *store, enum id_kind kind, struct bytes id)
{
    struct thing *thing = last_known_find(store, kind, id);
    if (thing || (store->count >= store->capacity && !resize(store, store->capacity * 2))) {
        return thing;
    }
    thing = calloc(1, sizeof *thing + id.len);
    if (!thing) {
        return NULL;
    }
    thing->hash = hash_of(store, kind, id);
    thing->kind = kind;
    thing->id_len = id.len;
    memcpy(thing->id, id.data, id.len);
    struct thing **place = &store->table[thing->hash & (store->capacity - 1)];
    thing->next = *place;
    *place = thing;
    store->count++;
    store->used += sizeof *thing + id.len;
    return thing;
}

void last_known_clear_change(struct last_known *store, struct thing *thing)
{
    store->version += thing->change != CHANGE_NONE;
    store->removals -= thing->change == CHANGE_REMOVED;
    thing->change = CHANGE_NONE;
    last_known_clear_content(store, &thing->created);
}

void last_known_clear_status(struct last_known *store, struct thing *thing)
{
    if (!thing->status.content.data) {
        return;
    }
    *(thing->older ? &thing->older->newer : &store->oldest_status) = thing->newer;
    *(thing->newer ? &thing->newer->older : &store->newest_status) = thing->older;
    thing->older = NULL;
    thing->newer = NULL;
    last_known_clear_content(store, &thing->status.content);
    store->version++;
}

/* Frees the thing at that place in the table when nothing is known of it. */
static bool free_if_empty(struct last_known *store, struct thing **place)
{
    struct thing *thing = *place;
    if (thing->change != CHANGE_NONE || thing->status.content.data) {
        return false;
    }
    *place = thing->next;
    store->count--;
    store->used -= sizeof *thing + thing->id_len;
    free(thing);
    return true;
}

void last_known_sweep(struct last_known *store, void (*look)(struct last_known *store, struct thing *thing, const void *state),
                      const void *state)
{
    for (size_t i = 0; i < store->capacity; i++) {
        struct thing **place = &store->table[i];
        while (*place) {
            look(store, *place, state);
            if (!free_if_empty(store, place)) {
                place = &(*place)->next;
            }
        }
    }
}

void last_known_add_status(struct last_known *store, struct thing *thing)
{
    thing->older = store->newest_status;
    thing->newer = NULL;
    *(store->newest_status ? &store->newest_status->newer : &store->oldest_status) = thing;
    store->newest_status = thing;
}

/* ---- giving up ---- */

static void clear_thing(struct last_known *store, struct thing *thing, const void *state)
{
    (void)state;
    last_known_clear_change(store, thing);
    last_known_clear_status(store, thing);
}

void last_known_give_up(struct last_known *store)
{
    last_known_sweep(store, clear_thing, NULL);
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        last_known_clear_content(store, &store->lists[kind].content);
        store->lists[kind] = (struct known_list){0};
    }
    store->not_before = ++store->sequence;
    store->version++;
}

static void drop_oldest_status(struct last_known *store)
{
    struct thing *thing = store->oldest_status;
    struct thing **place = &store->table[thing->hash & (store->capacity - 1)];
    while (*place != thing) {
        place = &(*place)->next;
    }
    last_known_clear_status(store, thing);
    free_if_empty(store, place);
}

bool last_known_keep_limit(struct last_known *store)
{
    while (store->oldest_status && store->used > store->limit) {
        drop_oldest_status(store);
    }
    if (store->used > store->limit) {
        last_known_give_up(store);
        return false;
    }
    return true;
}
