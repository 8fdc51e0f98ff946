#include "sim/list.h"

#include <stdlib.h>

#include "sim/common/memory.h"

void list_add(struct list *list, void *item)
{
    list->items = sim_grown(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = item;
}

void list_remove(struct list *list, const void *item)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] != item) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

void list_clear(struct list *list)
{
    free(list->items);
    *list = (struct list){0};
}
