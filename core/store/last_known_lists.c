#include "core/store/last_known_lists.h"

#include <stdlib.h>

#include "base/bytes/arena.h"
#include "core/store/last_known_items.h"
#include "translate/lists/item.h"

/* ---- a list takes the place of the known one ---- */

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
                 !last_known_confirms(list, thing, &thing->status);
    list->settled = list->settled && thing->change == CHANGE_NONE && !newer;
}

static bool replace_list(struct last_known *store, enum id_kind kind, const struct known_list *list, struct pieces pieces)
{
    struct known_list *known = &store->lists[kind];
    bool same = known->known && known->digest == list->digest && known->dialect == list->dialect;
    last_known_clear_content(store, &known->content);
    *known = *list;
    if (!last_known_set_content(store, &known->content, pieces)) {
        return false;
    }
    known->number = ++store->pass;
    store->replaced++;
    struct list_items items = list_items_of(kind, list->dialect, last_known_content(known->content));
    struct list_item item;
    while (store->things.count > 0 && list_items_next(&items, &item)) {
        if (!meet_item(store, kind, &item, list->asked)) {
            return false;
        }
    }
    known->settled = true;
    last_known_sweep(store, settle, &kind);
    store->version += !same;
    return true;
}

static struct last_known_repetition repetition_of(const struct last_known *store, enum id_kind kind, enum dialect dialect,
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
    store->changes[kind] = 0;
    if (store->held[kind].asked < asked) {
        last_known_drop_held(&store->held[kind]);
    }
}

static bool take_list(struct last_known *store, enum id_kind kind, const struct known_list *list, bool digested,
                      struct pieces pieces, struct error *error)
{
    struct known_list taken = *list;
    const struct known_list *known = &store->lists[kind];
    if (!digested) {
        const struct list_digester digester = list_digester_of(&store->secret, kind, taken.dialect);
        list_digest_add_pieces(&taken.items, &digester, pieces);
    }
    const struct last_known_repetition repetition = repetition_of(store, kind, taken.dialect, taken.asked);
    if (repetition.number > 0 && list_digest_equal(&taken.items, &repetition.digest)) {
        last_known_repeated(store, kind, taken.asked, taken.taken_at);
        return true;
    }
    if (!read_list(store, kind, taken.dialect, pieces, &taken.digest)) {
        return last_known_malformed(error, "the list");
    }
    if (taken.asked < store->not_before || (known->known && taken.asked < known->asked)) {
        return true;
    }
    if (pieces_length(pieces) > store->limit || !replace_list(store, kind, &taken, pieces)) {
        last_known_give_up(store);
        return last_known_no_room(store, error);
    }
    return last_known_keep_limit(store) || last_known_no_room(store, error);
}

/* ---- lists that are held ---- */

/* After this many lists in sequence that said something new, the next one probably does, too. */
#define MANY_CHANGES 2

static struct bytes slice_bytes(const grpc_slice *slice)
{
    return bytes_of(GRPC_SLICE_START_PTR(*slice), GRPC_SLICE_LENGTH(*slice));
}

/* Cuts the list between its items. false: no memory, or it is malformed. */
static bool read_runs(const struct held_list *held, struct arena *arena, struct pieces *list, struct error *error)
{
    struct bytes *each = arena_alloc(arena, held->count * sizeof *each);
    for (size_t i = 0; each && i < held->count; i++) {
        each[i] = slice_bytes(&held->slices[i]);
    }
    const struct pieces whole = {.each = each, .count = held->count};
    struct bytes run, *runs = each ? arena_alloc(arena, pieces_most_runs(whole) * sizeof *runs) : NULL;
    if (!runs) {
        return error_out_of_memory(error);
    }
    *list = (struct pieces){.each = runs};
    struct pieces_runs reader = pieces_runs_of(whole, arena);
    while (pieces_next_run(&reader, &run, error)) {
        if (run.len == 0) {
            return true;
        }
        runs[list->count++] = run;
    }
    return false;
}

/* A list for which there is no memory is given up, like any other. */
static void take(struct last_known *store, enum id_kind kind, const struct held_list *held, struct error *error)
{
    struct pieces list;
    struct arena *arena = arena_new(SIZE_MAX);
    const struct known_list taken = {
        .known = true, .dialect = held->dialect, .items = held->digest, .asked = held->asked, .taken_at = held->taken_at};
    bool cut = arena ? read_runs(held, arena, &list, error) : error_out_of_memory(error);
    if (cut) {
        take_list(store, kind, &taken, held->digested, list, error);
    } else if (error->code == STATUS_RESOURCE_EXHAUSTED) {
        last_known_give_up(store);
    }
    arena_unref(arena);
}

static void take_one(struct last_known *store, enum id_kind kind)
{
    struct held_list held = store->held[kind];
    store->held[kind] = (struct held_list){0};
    if (held.slices) {
        struct error error = {0};
        take(store, kind, &held, &error);
        store->held_failure = error.code != STATUS_OK ? error.code : store->held_failure;
        last_known_drop_held(&held);
    }
}

void last_known_take_held(struct last_known *store)
{
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        take_one(store, (enum id_kind)kind);
    }
}

bool last_known_settle(struct last_known *store, struct error *error)
{
    last_known_take_held(store);
    enum status_code failure = store->held_failure;
    store->held_failure = STATUS_OK;
    return failure == STATUS_OK ||
           (failure == STATUS_INTERNAL ? last_known_malformed(error, "a list") : last_known_no_room(store, error));
}

struct last_known_repetition last_known_repetition(const struct last_known *store, enum id_kind kind, enum dialect dialect,
                                                   uint64_t asked)
{
    return store->changes[kind] < MANY_CHANGES ? repetition_of(store, kind, dialect, asked) : (struct last_known_repetition){0};
}

/* Whether the list repeats the held one, which then takes its place, so that others can be compared with it. */
static bool repeats_held(struct last_known *store, enum id_kind kind, enum dialect dialect, const struct list_digest *digest,
                         uint64_t asked)
{
    const struct held_list *held = &store->held[kind];
    if (!held->slices || !digest || !held->digested || held->dialect != dialect || !list_digest_equal(digest, &held->digest)) {
        return false;
    }
    take_one(store, kind);
    const struct last_known_repetition repetition = repetition_of(store, kind, dialect, asked);
    return repetition.number > 0 && list_digest_equal(digest, &repetition.digest);
}

bool last_known_hold_list(struct last_known *store, enum id_kind kind, enum dialect dialect, const grpc_slice *slices,
                          size_t count, const struct list_digest *digest, uint64_t asked, int64_t now)
{
    if (store->held[kind].slices && asked < store->held[kind].asked) {
        return true;
    }
    if (repeats_held(store, kind, dialect, digest, asked)) {
        last_known_repeated(store, kind, asked, now);
        return true;
    }
    struct held_list held = {.slices = malloc((count > 0 ? count : 1) * sizeof *held.slices),
                             .count = count,
                             .dialect = dialect,
                             .digest = digest ? *digest : (struct list_digest){0},
                             .digested = digest != NULL,
                             .asked = asked,
                             .taken_at = now};
    if (!held.slices) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        held.slices[i] = grpc_slice_ref(slices[i]);
    }
    last_known_drop_held(&store->held[kind]);
    store->held[kind] = held;
    store->changes[kind] += store->changes[kind] < MANY_CHANGES;
    return true;
}

bool last_known_set_list(struct last_known *store, enum id_kind kind, enum dialect dialect, struct pieces list, uint64_t asked,
                         int64_t now, struct error *error)
{
    const struct known_list taken = {.known = true, .dialect = dialect, .asked = asked, .taken_at = now};
    last_known_take_held(store);
    return take_list(store, kind, &taken, false, list, error);
}
