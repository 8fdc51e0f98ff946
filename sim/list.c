#include "sim/list.h"

#include <stdlib.h>

void list_add(struct list *list, void *item)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 16;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        if (!list->items) {
            abort(); /* a test double may end if memory is short */
        }
    }
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
