#include "core/store/last_known.h"

#include <stdlib.h>

#include "core/store/last_known_items.h"
#include "translate/bytes/output.h"
#include "translate/lists/item.h"

/* ---- the store ---- */

struct last_known *last_known_new(size_t limit)
{
    struct last_known *store = calloc(1, sizeof *store);
    if (store && !hash_table_init(&store->things)) {
        free(store);
        return NULL;
    }
    if (store) {
        store->used = hash_table_memory(&store->things);
        store->limit = limit;
        store->key = hash_key_random();
        list_secret_random(&store->secret);
    }
    return store;
}

void last_known_free(struct last_known *store)
{
    if (store) {
        last_known_forget(store);
        hash_table_clear(&store->things);
        free(store);
    }
}

void last_known_forget(struct last_known *store)
{
    last_known_give_up(store);
}

uint64_t last_known_sequence(struct last_known *store)
{
    return ++store->sequence;
}

bool last_known_gave_up(struct last_known *store, enum id_kind kind)
{
    last_known_take_held(store);
    return store->not_before > 0 && !store->lists[kind].known;
}

uint64_t last_known_version(struct last_known *store)
{
    last_known_take_held(store);
    return store->version;
}

/* Neither part ever goes back. */
uint64_t last_known_edition(struct last_known *store)
{
    last_known_take_held(store);
    return store->version + store->replaced;
}

size_t last_known_memory(struct last_known *store)
{
    last_known_take_held(store);
    return store->used + sizeof *store;
}

/* ---- changes ---- */

static bool mark_containers_of(struct last_known *store, struct list_items items, struct bytes pod, uint64_t sequence)
{
    struct list_item item;
    while (list_items_next(&items, &item)) {
        if (bytes_equal(item.pod_sandbox_id, pod) && item.id.len > 0 &&
            !last_known_mark_removed(store, ID_CONTAINER, item.id, sequence)) {
            return false;
        }
    }
    return true;
}

struct removal {
    struct bytes pod;
    uint64_t sequence;
};

/* Needs no memory: the thing exists already. */
static void remove_created_container(struct last_known *store, struct thing *thing, const void *state)
{
    const struct removal *removal = state;
    if (thing->kind != ID_CONTAINER || thing->change != CHANGE_CREATED) {
        return;
    }
    struct list_items items = list_items_of(ID_CONTAINER, thing->created_dialect, last_known_content(thing->created));
    struct list_item item;
    if (list_items_next(&items, &item) && bytes_equal(item.pod_sandbox_id, removal->pod)) {
        last_known_mark_removed(store, ID_CONTAINER, last_known_id(thing), removal->sequence);
    }
}

void last_known_removed(struct last_known *store, enum id_kind kind, struct bytes id)
{
    if (id.len == 0) {
        return;
    }
    last_known_take_held(store);
    struct removal removal = {.pod = id, .sequence = ++store->sequence};
    bool marked = last_known_mark_removed(store, kind, id, removal.sequence);
    if (marked && kind == ID_POD) {
        const struct known_list *containers = &store->lists[ID_CONTAINER];
        struct list_items items = list_items_of(ID_CONTAINER, containers->dialect, last_known_content(containers->content));
        marked = mark_containers_of(store, items, id, removal.sequence);
        last_known_sweep(store, remove_created_container, &removal);
    }
    if (!marked) {
        last_known_forget(store);
    }
    last_known_keep_limit(store);
}

bool last_known_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes item, struct error *error)
{
    last_known_take_held(store);
    return last_known_mark_created(store, kind, dialect, item, ++store->sequence, error);
}

/* ---- statuses ---- */

/* An answer is too late when its pod or container was removed meanwhile, or a later answer is known. */
static bool is_late(const struct last_known *store, enum id_kind kind, struct bytes id, uint64_t asked)
{
    const struct thing *thing = last_known_find(store, kind, id);
    return asked < store->not_before || asked < store->lists[kind].asked || last_known_removed_at(store, kind, id) > asked ||
           (thing && thing->status.content.data && asked < thing->status.asked);
}

bool last_known_set_status(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes response,
                           uint64_t asked, int64_t now, struct error *error)
{
    struct bytes id;
    struct status status = {.dialect = dialect, .asked = asked, .taken_at = now};
    last_known_take_held(store);
    if (!list_item_of_status(kind, dialect, response, &id, &status.state)) {
        return last_known_malformed(error, "the status");
    }
    return is_late(store, kind, id, asked) || last_known_keep_status(store, kind, id, &status, response, error);
}

bool last_known_status(struct last_known *store, enum id_kind kind, struct bytes id, struct last_known_piece *status,
                       int64_t *taken_at)
{
    last_known_take_held(store);
    const struct thing *thing = last_known_find(store, kind, id);
    if (!thing || !thing->status.content.data) {
        return false;
    }
    *status = (struct last_known_piece){.dialect = thing->status.dialect, .response = last_known_content(thing->status.content)};
    *taken_at = thing->status.taken_at;
    return true;
}

/* ---- answering ---- */

/* One output a dialect; those without data are empty. */
struct answer {
    struct walk_output outputs[DIALECT_COUNT];
    struct arena *arena;
    struct list_filter *filter;
};

static bool show(struct answer *answer, enum dialect dialect, const struct list_item *item)
{
    struct walk_output *output = &answer->outputs[dialect];
    if (!list_filter_matches(answer->filter, item)) {
        return true;
    }
    return (output->data || walk_output_start(output, answer->arena, item->whole.len)) &&
           walk_output_put(output, item->whole.data, item->whole.len);
}

/* The items of the list, without those removed since it was asked for. */
static bool show_list(const struct last_known *store, enum id_kind kind, struct answer *answer)
{
    const struct known_list *list = &store->lists[kind];
    struct list_items items = list_items_of(kind, list->dialect, last_known_content(list->content));
    struct list_item item;
    while (list_items_next(&items, &item)) {
        struct thing *thing = last_known_find(store, kind, item.id);
        if (thing) {
            thing->met = store->pass;
        }
        bool hidden = thing && thing->change == CHANGE_REMOVED && thing->changed > list->asked;
        if (!hidden && !show(answer, list->dialect, &item)) {
            return false;
        }
    }
    return true;
}

/* What was created and is not in the list. */
static bool show_created(const struct last_known *store, enum id_kind kind, struct answer *answer)
{
    HASH_TABLE_EACH(&store->things, link)
    {
        const struct thing *thing = last_known_thing(link);
        struct list_item item;
        if (thing->kind == kind && thing->change == CHANGE_CREATED && thing->met != store->pass &&
            last_known_only_item(kind, thing->created_dialect, last_known_content(thing->created), &item) &&
            !show(answer, thing->created_dialect, &item)) {
            return false;
        }
    }
    return true;
}

bool last_known_list(struct last_known *store, enum id_kind kind, struct list_filter *filter, struct arena *arena,
                     struct last_known_list *list, struct error *error)
{
    *list = (struct last_known_list){0};
    last_known_take_held(store);
    if (!store->lists[kind].known) {
        return error_set(error, STATUS_UNAVAILABLE, "nothing is known of its %s yet", kind == ID_POD ? "pods" : "containers");
    }
    struct answer answer = {.arena = arena, .filter = filter};
    store->pass++;
    if (!show_list(store, kind, &answer) || !show_created(store, kind, &answer)) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the last-known list is too large to be returned");
    }
    for (size_t dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        if (answer.outputs[dialect].data) {
            list->pieces[list->count++] = (struct last_known_piece){
                .dialect = (enum dialect)dialect,
                .response = walk_output_finish(&answer.outputs[dialect]),
            };
        }
    }
    list->taken_at = store->lists[kind].taken_at;
    return true;
}

bool last_known_taken_at(struct last_known *store, enum id_kind kind, int64_t *taken_at)
{
    last_known_take_held(store);
    *taken_at = store->lists[kind].taken_at;
    return store->lists[kind].known;
}
