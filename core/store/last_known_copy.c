#include "core/store/last_known_copy.h"

#include "core/store/last_known_items.h"
#include "translate/lists/item.h"

/* No store lives that long: a higher number comes from a hostile file. */
#define HIGHEST_SEQUENCE (UINT64_MAX / 2)

typedef bool visit_record(void *state, const struct last_known_record *record);

static bool visit_lists(const struct last_known *store, visit_record *visit, void *state)
{
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        const struct known_list *list = &store->lists[kind];
        const struct last_known_record record = {
            .part = LAST_KNOWN_LIST,
            .kind = (enum id_kind)kind,
            .dialect = list->dialect,
            .sequence = list->asked,
            .taken_at = list->taken_at,
            .content = last_known_content(list->content),
        };
        if (list->known && !visit(state, &record)) {
            return false;
        }
    }
    return true;
}

static bool visit_change(const struct thing *thing, visit_record *visit, void *state)
{
    const struct last_known_record created = {
        .part = LAST_KNOWN_CREATED,
        .kind = thing->kind,
        .dialect = thing->created_dialect,
        .sequence = thing->changed,
        .content = last_known_content(thing->created),
    };
    const struct last_known_record removed = {
        .part = LAST_KNOWN_REMOVED, .kind = thing->kind, .sequence = thing->changed, .id = last_known_id(thing)};
    return thing->change == CHANGE_NONE || visit(state, thing->change == CHANGE_CREATED ? &created : &removed);
}

static bool visit_statuses(const struct last_known *store, visit_record *visit, void *state)
{
    for (const struct thing *thing = store->oldest_status; thing; thing = thing->newer) {
        const struct last_known_record record = {
            .part = LAST_KNOWN_STATUS,
            .kind = thing->kind,
            .dialect = thing->status.dialect,
            .sequence = thing->status.asked,
            .taken_at = thing->status.taken_at,
            .content = last_known_content(thing->status.content),
        };
        if (!visit(state, &record)) {
            return false;
        }
    }
    return true;
}

bool last_known_each(struct last_known *store, visit_record *visit, void *state)
{
    last_known_take_held(store);
    const struct last_known_record given_up = {.part = LAST_KNOWN_GIVEN_UP, .sequence = store->not_before};
    if (store->not_before > 0 && !visit(state, &given_up)) {
        return false;
    }
    if (!visit_lists(store, visit, state)) {
        return false;
    }
    HASH_TABLE_EACH(&store->things, link)
    {
        if (!visit_change(last_known_thing(link), visit, state)) {
            return false;
        }
    }
    return visit_statuses(store, visit, state);
}

static bool restore_given_up(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (record->sequence == 0 || store->things.count > 0 || store->lists[ID_POD].known || store->lists[ID_CONTAINER].known) {
        return last_known_malformed(error, "what was given up");
    }
    store->not_before = record->sequence;
    return true;
}

static bool restore_list(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (store->lists[record->kind].known || record->sequence < store->not_before ||
        !list_is_well_formed(record->kind, record->dialect, record->content)) {
        return last_known_malformed(error, "a list");
    }
    return last_known_set_list(store, record->kind, record->dialect, pieces_of(&record->content), record->sequence,
                               record->taken_at, error);
}

static bool restore_created(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (!list_is_well_formed(record->kind, record->dialect, record->content)) {
        return last_known_malformed(error, "the item of what was created");
    }
    return last_known_mark_created(store, record->kind, record->dialect, record->content, record->sequence, error);
}

static bool restore_removed(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    if (record->id.len == 0) {
        return last_known_malformed(error, "a removal");
    }
    return (last_known_mark_removed(store, record->kind, record->id, record->sequence) && last_known_keep_limit(store)) ||
           last_known_no_room(store, error);
}

/* Unlike a new answer, it may be older than the list. */
static bool restore_status(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    struct bytes id;
    struct status status = {.dialect = record->dialect, .asked = record->sequence, .taken_at = record->taken_at};
    if (!status_is_well_formed(record->kind, record->dialect, record->content) ||
        !list_item_of_status(record->kind, record->dialect, record->content, &id, &status.state)) {
        return last_known_malformed(error, "a status");
    }
    return last_known_removed_at(store, record->kind, id) > record->sequence ||
           last_known_keep_status(store, record->kind, id, &status, record->content, error);
}

bool last_known_restore(struct last_known *store, const struct last_known_record *record, struct error *error)
{
    static bool (*const restore[LAST_KNOWN_PARTS])(struct last_known *, const struct last_known_record *, struct error *) = {
        [LAST_KNOWN_GIVEN_UP] = restore_given_up, [LAST_KNOWN_LIST] = restore_list,     [LAST_KNOWN_CREATED] = restore_created,
        [LAST_KNOWN_REMOVED] = restore_removed,   [LAST_KNOWN_STATUS] = restore_status,
    };
    if (record->sequence > HIGHEST_SEQUENCE) {
        return last_known_malformed(error, "a sequence number");
    }
    if (store->sequence < record->sequence) {
        store->sequence = record->sequence;
    }
    return restore[record->part](store, record, error);
}
