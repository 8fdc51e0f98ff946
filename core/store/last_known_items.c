#include "core/store/last_known_items.h"

#include <stdlib.h>
#include <string.h>

#include "translate/lists/item.h"

bool last_known_malformed(struct error *error, const char *what)
{
    return error_set(error, STATUS_INTERNAL, "%s is malformed", what);
}

bool last_known_no_room(const struct last_known *store, struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the last-known state takes more than %zu bytes, or memory is short",
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
    struct hash_link *link = store->things.count > 0 ? hash_table_find(&store->things, hash_of(store, kind, id)) : NULL;
    while (link && (last_known_thing(link)->kind != kind || !bytes_equal(last_known_id(last_known_thing(link)), id))) {
        link = hash_link_next(link);
    }
    return link ? last_known_thing(link) : NULL;
}

struct thing *last_known_find_or_add(struct last_known *store, enum id_kind kind, struct bytes id)
{
    struct thing *thing = last_known_find(store, kind, id);
    if (thing || !(thing = calloc(1, sizeof *thing + id.len))) {
        return thing;
    }
    thing->kind = kind;
    thing->id_len = id.len;
    memcpy(thing->id, id.data, id.len);
    size_t before = hash_table_memory(&store->things);
    hash_table_add(&store->things, &thing->link, hash_of(store, kind, id));
    store->used += hash_table_memory(&store->things) - before + sizeof *thing + id.len;
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

static void free_if_empty(struct last_known *store, struct thing *thing)
{
    if (thing->change == CHANGE_NONE && !thing->status.content.data) {
        hash_table_remove(&store->things, &thing->link);
        store->used -= sizeof *thing + thing->id_len;
        free(thing);
    }
}

void last_known_sweep(struct last_known *store, void (*look)(struct last_known *store, struct thing *thing, const void *state),
                      const void *state)
{
    HASH_TABLE_EACH(&store->things, link)
    {
        look(store, last_known_thing(link), state);
        free_if_empty(store, last_known_thing(link));
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

void last_known_drop_held(struct held_list *held)
{
    for (size_t i = 0; i < held->count; i++) {
        grpc_slice_unref(held->slices[i]);
    }
    free(held->slices);
    *held = (struct held_list){0};
}

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
        last_known_drop_held(&store->held[kind]);
        last_known_clear_content(store, &store->lists[kind].content);
        store->lists[kind] = (struct known_list){0};
    }
    store->not_before = ++store->sequence;
    store->version++;
}

static void drop_oldest_status(struct last_known *store)
{
    struct thing *thing = store->oldest_status;
    last_known_clear_status(store, thing);
    free_if_empty(store, thing);
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

/* ---- changes ---- */

uint64_t last_known_removed_at(const struct last_known *store, enum id_kind kind, struct bytes id)
{
    const struct thing *thing = store->removals > 0 ? last_known_find(store, kind, id) : NULL;
    return thing && thing->change == CHANGE_REMOVED ? thing->changed : 0;
}

static void unsettle(struct last_known *store)
{
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        store->lists[kind].settled = false;
    }
}

bool last_known_mark_removed(struct last_known *store, enum id_kind kind, struct bytes id, uint64_t sequence)
{
    unsettle(store);
    struct thing *thing = last_known_find_or_add(store, kind, id);
    if (!thing) {
        return false;
    }
    last_known_clear_change(store, thing);
    last_known_clear_status(store, thing);
    thing->change = CHANGE_REMOVED;
    store->removals++;
    thing->changed = sequence;
    store->version++;
    return true;
}

bool last_known_only_item(enum id_kind kind, enum dialect dialect, struct bytes list, struct list_item *item)
{
    struct list_items items = list_items_of(kind, dialect, list);
    struct list_item second;
    return list_items_next(&items, item) && item->id.len > 0 && !list_items_next(&items, &second) && !items.malformed;
}

bool last_known_mark_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes list,
                             uint64_t sequence, struct error *error)
{
    struct list_item item;
    unsettle(store);
    if (!last_known_only_item(kind, dialect, list, &item)) {
        return last_known_malformed(error, "the item of what was created");
    }
    struct thing *thing = last_known_find_or_add(store, kind, item.id);
    if (thing) {
        last_known_clear_change(store, thing);
    }
    store->version++;
    if (!thing || !last_known_set_content(store, &thing->created, pieces_of(&list))) {
        last_known_give_up(store);
        return last_known_no_room(store, error);
    }
    thing->change = CHANGE_CREATED;
    thing->changed = sequence;
    thing->created_dialect = dialect;
    return last_known_keep_limit(store) || last_known_no_room(store, error);
}

/* ---- statuses ---- */

bool last_known_confirms(const struct known_list *list, const struct thing *thing, const struct status *status)
{
    return list->number > 0 && thing->listed == list->number && thing->listed_state == status->state;
}

/* A status for which there is no room is not kept. That is harmless: nothing depends on it. */
static bool store_status(struct last_known *store, struct thing *thing, const struct status *status, struct bytes response)
{
    bool same = thing->status.content.data && bytes_equal(last_known_content(thing->status.content), response);
    uint64_t version = store->version;
    last_known_clear_status(store, thing);
    thing->status = *status;
    if (!last_known_set_content(store, &thing->status.content, pieces_of(&response))) {
        return false;
    }
    last_known_add_status(store, thing);
    store->version = version + !same;
    return true;
}

bool last_known_keep_status(struct last_known *store, enum id_kind kind, struct bytes id, const struct status *status,
                            struct bytes response, struct error *error)
{
    struct known_list *list = &store->lists[kind];
    struct thing *thing = last_known_find_or_add(store, kind, id);
    bool kept = thing && store_status(store, thing, status, response);
    list->settled = list->settled && kept && last_known_confirms(list, thing, status);
    return (last_known_keep_limit(store) && kept) || last_known_no_room(store, error);
}
