#include "held.h"

#include "core/knowledge/save.h"

#define HELD_MEMORY (2 * LAST_KNOWN_DEFAULT_LIMIT)

void held_each(struct runtime *runtime, enum id_kind kind, held_visit *visit, void *state)
{
    struct error error = {0};
    struct list_filter filter = {0};
    struct last_known_list list;
    struct arena *arena = arena_new(HELD_MEMORY);
    if (arena && last_known_list(runtime->known.last_known, kind, &filter, arena, &list, &error)) {
        for (size_t i = 0; i < list.count; i++) {
            struct list_items items = list_items_of(kind, list.pieces[i].dialect, list.pieces[i].response);
            struct list_item item;
            while (list_items_next(&items, &item)) {
                visit(state, runtime, kind, &item);
            }
        }
    }
    arena_unref(arena);
}

static void count_item(void *state, struct runtime *runtime, enum id_kind kind, const struct list_item *item)
{
    (void)runtime;
    (void)kind;
    (void)item;
    ++*(size_t *)state;
}

size_t held_count(struct runtime *runtime, enum id_kind kind)
{
    size_t count = 0;
    if (kind == ID_POD && !knowledge_keeps_lists(runtime)) {
        return runtime->known.pods;
    }
    held_each(runtime, kind, count_item, &count);
    return count;
}

struct search {
    struct bytes id;
    bool found;
};

static void compare_item(void *state, struct runtime *runtime, enum id_kind kind, const struct list_item *item)
{
    (void)runtime;
    (void)kind;
    struct search *search = state;
    search->found = search->found || bytes_equal(search->id, item->id);
}

bool held_has(struct runtime *runtime, enum id_kind kind, struct bytes id)
{
    struct search search = {.id = id};
    held_each(runtime, kind, compare_item, &search);
    return search.found;
}
