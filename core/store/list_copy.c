#include "list_copy.h"

void list_copy_stop(struct list_copy *copy)
{
    if (copy->place) {
        *copy->place = NULL;
        copy->place = NULL;
        buffer_clear(&copy->bytes);
    }
}

void list_copy_start(struct list_copy *copy, struct list_copy **place)
{
    if (*place && (*place)->slow) {
        list_copy_stop(*place);
    }
    if (!*place) {
        *place = copy;
        copy->place = place;
    }
}

bool list_copy_add(struct list_copy *copy, struct bytes message, size_t limit)
{
    if (!copy->place || buffer_append(&copy->bytes, message, limit)) {
        return true;
    }
    list_copy_stop(copy);
    return false;
}
