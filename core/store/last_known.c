#include "core/store/last_known.h"

#include <stdlib.h>

#include "core/store/last_known_changes.h"
#include "translate/bytes/output.h"
#include "translate/lists/item.h"

/* ---- the store ---- */

struct last_known *last_known_new(size_t limit)
{
    struct last_known *store = calloc(1, sizeof *store);
    if (store && !last_known_make_table(store)) {
        free(store);
        return NULL;
    }
    if (store) {
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
        free(store->table);
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

bool last_known_gave_up(const struct last_known *store, enum id_kind kind)
{
    return store->not_before > 0 && !store->lists[kind].known;
}

uint64_t last_known_version(const struct last_known *store)
{
    return store->version;
}

size_t last_known_memory(const struct last_known *store)
{
    return store->used + sizeof *store;
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

/* The one item of a list of one. */
static bool only_item(enum id_kind kind, enum dialect dialect, struct bytes list, struct list_item *item)
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
    if (!only_item(kind, dialect, list, &item)) {
        return last_known_malformed(error, "the item of what was created");
    }
    struct thing *thing = last_known_find_or_add(store, kind, item.id);
    if (thing) {
        last_known_clear_change(store, thing);
    }
    store->version++;
    if (!thing || !last_known_set_content(store, &thing->created, pieces_of(&list))) {
        last_known_forget(store);
        return last_known_no_room(store, error);
    }
    thing->change = CHANGE_CREATED;
    thing->changed = sequence;
    thing->created_dialect = dialect;
    return last_known_keep_limit(store) || last_known_no_room(store, error);
}

bool last_known_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes item, struct error *error)
{
    return last_known_mark_created(store, kind, dialect, item, ++store->sequence, error);
}

/* ---- lists ---- */

/* Checks a list, and makes the digest of its ids and states. */
static bool read_list(const struct last_known *store, enum id_kind kind, enum dialect dialect, struct pieces list,
                      uint64_t *digest)
{
    struct list_items items = list_items_of_pieces(kind, dialect, list);
    struct list_item item;
    *digest = 0;
    while (list_items_next(&items, &item)) {
        *digest += list_digest_of(&store->secret, item.id, (uint64_t)(uint32_t)item.state);
    }
    return !items.malformed;
}

/* Compares one item of a new list with what is known of its id. false: no memory. */
static bool meet_item(struct last_known *store, enum id_kind kind, const struct list_item *item, uint64_t asked)
{
    struct thing *thing = last_known_find(store, kind, item->id);
    if (thing) {
        thing->met = store->pass;
        thing->listed = store->lists[kind].number;
        thing->listed_state = item->state;
        if (thing->status.content.data && thing->status.asked < asked && thing->status.state != item->state) {
            last_known_clear_status(store, thing);
        }
    }
    uint64_t removal = kind == ID_CONTAINER ? last_known_removed_at(store, ID_POD, item->pod_sandbox_id) : 0;
    bool goes_along = removal > asked && item->id.len > 0 && removal > last_known_removed_at(store, kind, item->id);
    return !goes_along || last_known_mark_removed(store, kind, item->id, removal);
}

/* A pod's removal also hides its containers, so it is kept until both lists are newer. */
static bool is_settled(const struct last_known *store, const struct thing *thing)
{
    uint64_t asked = store->lists[thing->kind].asked;
    if (thing->change == CHANGE_REMOVED && thing->kind == ID_POD && store->lists[ID_CONTAINER].asked < asked) {
        asked = store->lists[ID_CONTAINER].asked;
    }
    return thing->changed <= asked;
}

/* Whether the list has the same state of a thing as a status. */
static bool confirms(const struct known_list *list, const struct thing *thing, const struct status *status)
{
    return list->number > 0 && thing->listed == list->number && thing->listed_state == status->state;
}

/* Drops changes and statuses that a newer list replaces. What was created stays until a list was asked for after that, even when
   one shows it already: another list, also asked for earlier, may come and lack it. */
static void settle(struct last_known *store, struct thing *thing, const void *state)
{
    const enum id_kind *kind = state;
    struct known_list *list = &store->lists[*kind];
    if (thing->change != CHANGE_NONE && is_settled(store, thing)) {
        last_known_clear_change(store, thing);
    }
    bool lacking = thing->kind == *kind && thing->met != store->pass && thing->change != CHANGE_CREATED;
    if (lacking && thing->status.asked < list->asked) {
        last_known_clear_status(store, thing);
    }
    bool newer = thing->kind == *kind && thing->status.content.data && thing->status.asked >= list->asked &&
                 !confirms(list, thing, &thing->status);
    list->settled = list->settled && thing->change == CHANGE_NONE && !newer;
}

static bool take_list(struct last_known *store, enum id_kind kind, const struct known_list *list, struct pieces pieces)
{
    struct known_list *known = &store->lists[kind];
    bool same = known->known && known->digest == list->digest && known->dialect == list->dialect;
    last_known_clear_content(store, &known->content);
    *known = *list;
    if (!last_known_set_content(store, &known->content, pieces)) {
        return false;
    }
    known->number = ++store->pass;
    struct list_items items = list_items_of(kind, list->dialect, last_known_content(known->content));
    struct list_item item;
    while (list_items_next(&items, &item)) {
        if (!meet_item(store, kind, &item, list->asked)) {
            return false;
        }
    }
    known->settled = true;
    last_known_sweep(store, settle, &kind);
    store->version += !same;
    return true;
}

struct last_known_repetition last_known_repetition(const struct last_known *store, enum id_kind kind, enum dialect dialect,
                                                   uint64_t asked)
{
    const struct known_list *known = &store->lists[kind];
    bool current = known->known && known->settled && known->dialect == dialect && asked >= known->asked;
    if (!current || asked < store->not_before) {
        return (struct last_known_repetition){0};
    }
    return (struct last_known_repetition){
        .number = known->number, .digest = known->items, .digester = list_digester_of(&store->secret, kind, dialect)};
}

void last_known_repeated(struct last_known *store, enum id_kind kind, uint64_t asked, int64_t now)
{
    store->lists[kind].asked = asked;
    store->lists[kind].taken_at = now;
}

bool last_known_set_list(struct last_known *store, enum id_kind kind, enum dialect dialect, struct pieces list, uint64_t asked,
                         int64_t now, struct error *error)
{
    struct known_list taken = {.known = true, .dialect = dialect, .asked = asked, .taken_at = now};
    struct known_list *known = &store->lists[kind];
    const struct list_digester digester = list_digester_of(&store->secret, kind, dialect);
    list_digest_add_pieces(&taken.items, &digester, list);
    const struct last_known_repetition repetition = last_known_repetition(store, kind, dialect, asked);
    if (repetition.number > 0 && list_digest_equal(&taken.items, &repetition.digest)) {
        last_known_repeated(store, kind, asked, now);
        return true;
    }
    if (!read_list(store, kind, dialect, list, &taken.digest)) {
        return last_known_malformed(error, "the list");
    }
    if (asked < store->not_before || (known->known && asked < known->asked)) {
        return true;
    }
    if (pieces_length(list) > store->limit || !take_list(store, kind, &taken, list)) {
        last_known_forget(store);
        return last_known_no_room(store, error);
    }
    return last_known_keep_limit(store) || last_known_no_room(store, error);
}

/* ---- statuses ---- */

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
    list->settled = list->settled && kept && confirms(list, thing, status);
    return (last_known_keep_limit(store) && kept) || last_known_no_room(store, error);
}

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
    if (!list_item_of_status(kind, dialect, response, &id, &status.state)) {
        return last_known_malformed(error, "the status");
    }
    return is_late(store, kind, id, asked) || last_known_keep_status(store, kind, id, &status, response, error);
}

bool last_known_status(const struct last_known *store, enum id_kind kind, struct bytes id, struct last_known_piece *status,
                       int64_t *taken_at)
{
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
    for (size_t i = 0; i < store->capacity; i++) {
        for (const struct thing *thing = store->table[i]; thing; thing = thing->next) {
            struct list_item item;
            if (thing->kind == kind && thing->change == CHANGE_CREATED && thing->met != store->pass &&
                only_item(kind, thing->created_dialect, last_known_content(thing->created), &item) &&
                !show(answer, thing->created_dialect, &item)) {
                return false;
            }
        }
    }
    return true;
}

bool last_known_list(struct last_known *store, enum id_kind kind, struct list_filter *filter, struct arena *arena,
                     struct last_known_list *list, struct error *error)
{
    *list = (struct last_known_list){0};
    if (!store->lists[kind].known) {
        return error_set(error, STATUS_UNAVAILABLE, "nothing is known yet of its %s", kind == ID_POD ? "pods" : "containers");
    }
    struct answer answer = {.arena = arena, .filter = filter};
    store->pass++;
    if (!show_list(store, kind, &answer) || !show_created(store, kind, &answer)) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the last-known list is too big to be answered");
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

bool last_known_taken_at(const struct last_known *store, enum id_kind kind, int64_t *taken_at)
{
    *taken_at = store->lists[kind].taken_at;
    return store->lists[kind].known;
}
