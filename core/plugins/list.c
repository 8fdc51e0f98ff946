#include "core/plugins/list.h"

void plugin_list_free(struct plugin_list *list)
{
    if (list) {
        arena_unref(list->memory);
    }
}
