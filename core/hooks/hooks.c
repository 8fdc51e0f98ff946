#include "core/hooks/hooks.h"

#include <stdlib.h>
#include <string.h>

#include "translate/lists/item.h"

void hooks_init(struct hooks *hooks, struct worker *worker, bool take_over, void (*idle)(void *state), void *state)
{
    *hooks = (struct hooks){.files = take_over ? FILES_OTHERS : FILES_OURS, .handover.memory = -1};
    plugin_set_init(&hooks->plugins, worker);
    after_init(&hooks->after, idle, state);
    LIST_INIT(&hooks->known);
}

/* ---- plugins ---- */

void hooks_clear(struct hooks *hooks)
{
    plugin_set_clear(&hooks->plugins);
    while (!LIST_EMPTY(&hooks->known)) {
        known_close(LIST_FIRST(&hooks->known));
    }
}

static size_t count_known(const struct known *known)
{
    return fact_store_count(known->store, ID_POD) + fact_store_count(known->store, ID_CONTAINER);
}

/* Without plugins nothing is learned, so that what is known would become wrong. */
static void forget_unchanged(struct known *known)
{
    size_t before = count_known(known);
    fact_store_forget_unchanged(known->store);
    if (count_known(known) != before) {
        known_rewrite(known);
    }
    known->missing_logged = false;
}

static void forget_all_unchanged(struct hooks *hooks)
{
    struct known *known;
    LIST_FOREACH(known, &hooks->known, link)
    {
        forget_unchanged(known);
    }
}

void hooks_set_plugins(struct hooks *hooks, const struct plugin_list *list)
{
    if (!plugin_set_put(&hooks->plugins, list)) {
        return;
    }
    if (hooks->plugins.stages == 0) {
        forget_all_unchanged(hooks);
    } else if (!plugin_set_wants_environments(&hooks->plugins)) {
        hooks_make_room(hooks);
    }
}

/* ---- what is known ---- */

bool hooks_concern(struct hooks *hooks, const struct request *request, size_t position)
{
    const struct runtime_map *map = request->generation->map;
    if (request->method->hook == HOOK_NONE || !map->hooks.on || !map->runtimes[position].hooks) {
        return false;
    }
    if (hooks->plugins.stages != 0) {
        return true;
    }
    const struct runtime *runtime = request->generation->runtimes[position];
    if (request->method->hook != HOOK_CREATE_CONTAINER || runtime->replaced) {
        return false;
    }
    /* Without plugins, containers of a pod whose cgroup parent was changed still go there: also after a restart. */
    const struct known *known = known_open(&hooks->known, map, runtime, hooks->files);
    return known && fact_store_changed_parents(known->store) > 0;
}

void hooks_removed(struct hooks *hooks, const struct runtime *runtime, enum id_kind kind, struct bytes id)
{
    struct known *known = known_find(&hooks->known, runtime);
    if (known) {
        known_remove(known, kind, id);
    }
}

void hooks_shorten(struct hooks *hooks, const struct runtime *runtime)
{
    struct known *known = known_find(&hooks->known, runtime);
    if (known) {
        known_shorten(known);
    }
}

void hooks_part_from_runtime(struct hooks *hooks, const struct runtime *runtime)
{
    struct known *known = known_find(&hooks->known, runtime);
    if (known) {
        known_close(known);
    }
}

void hooks_forget_runtime(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime)
{
    hooks_part_from_runtime(hooks, runtime);
    known_remove_file(map, runtime);
}

/* What a file has of a time with plugins would become wrong without. */
static struct known *open_known(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime)
{
    struct known *known = known_open(&hooks->known, map, runtime, hooks->files);
    if (known && hooks->plugins.stages == 0) {
        forget_unchanged(known);
    }
    return known;
}

static void open_all(struct hooks *hooks, const struct generation *generation, enum fact_files files)
{
    hooks->files = files;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        open_known(hooks, generation->map, generation->runtimes[i]);
    }
}

void hooks_take_part(struct hooks *hooks, const struct generation *generation)
{
    open_all(hooks, generation, FILES_OURS);
}

static void set_files(struct hooks *hooks, enum fact_files files)
{
    struct known *known;
    hooks->files = files;
    LIST_FOREACH(known, &hooks->known, link)
    {
        known_set_files(known, files);
    }
}

void hooks_lend(struct hooks *hooks, const struct generation *generation)
{
    hooks_take_part(hooks, generation);
    set_files(hooks, FILES_LENT);
}

void hooks_take_back(struct hooks *hooks, const struct generation *generation)
{
    set_files(hooks, FILES_OURS);
    hooks_take_part(hooks, generation);
}

void hooks_hand_over(struct hooks *hooks)
{
    set_files(hooks, FILES_OTHERS);
}

void hooks_successor_lost(struct hooks *hooks, const struct generation *generation)
{
    open_all(hooks, generation, FILES_LEFT);
}

void hooks_successor_has_all(struct hooks *hooks)
{
    struct known *known;
    LIST_FOREACH(known, &hooks->known, link)
    {
        known_forget_pending(known);
        known->unwritten = false;
    }
}

void hooks_save(struct hooks *hooks, const struct generation *generation)
{
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        struct known *known = known_find(&hooks->known, generation->runtimes[i]);
        if (known && hooks->files == FILES_OTHERS && known->pending.len > 0) {
            known_open(&hooks->known, generation->map, generation->runtimes[i], FILES_LEFT);
        } else if (known) {
            known_save(known);
        }
    }
}

void hooks_list_asked(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime)
{
    struct known *known = open_known(hooks, map, runtime);
    if (known) {
        known->changed = known->missing_logged = false;
    }
}

static int compare_ids(const void *a, const void *b)
{
    return bytes_compare(*(const struct bytes *)a, *(const struct bytes *)b);
}

struct id_set {
    struct bytes *ids; /* sorted */
    size_t count;
};

static bool has_id(void *state, struct bytes id)
{
    const struct id_set *set = state;
    return set->count > 0 && bsearch(&id, set->ids, set->count, sizeof id, compare_ids);
}

/* All ids of a list. false: no memory, or it cannot be read. */
static bool collect_ids(struct list_items items, struct id_set *set)
{
    struct list_item item;
    size_t room = 0;
    while (list_items_next(&items, &item)) {
        if (set->count == room) {
            room = room * 2 + 64;
            struct bytes *more = realloc(set->ids, room * sizeof *more);
            if (!more) {
                return false;
            }
            set->ids = more;
        }
        set->ids[set->count++] = item.id;
    }
    if (set->count > 0) {
        qsort(set->ids, set->count, sizeof *set->ids, compare_ids);
    }
    return !items.malformed;
}

void hooks_listed(struct hooks *hooks, const struct runtime *runtime, enum id_kind kind, struct bytes list)
{
    struct known *known = known_find(&hooks->known, runtime);
    struct id_set set = {0};
    if (!known || known->changed || fact_store_count(known->store, kind) == 0) {
        return;
    }
    if (collect_ids(list_items_of(kind, runtime_answer_dialect(runtime), list), &set)) {
        fact_store_retain(known->store, kind, has_id, &set);
        known_rewrite(known);
    }
    free(set.ids);
}

size_t hooks_make_room(struct hooks *hooks)
{
    size_t freed = 0;
    struct known *known;
    LIST_FOREACH(known, &hooks->known, link)
    {
        freed += fact_store_forget_environments(known->store);
    }
    return freed;
}
