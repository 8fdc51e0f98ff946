/* The simulation's growing arrays of pointers. */
#pragma once

#include "sim/simulation.h"

void list_add(struct list *list, void *item);

/* Removes the item; the order of the others stays. */
void list_remove(struct list *list, const void *item);

/* Frees the array, not the items. */
void list_clear(struct list *list);
