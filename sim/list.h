/* The simulation's growing arrays of pointers. */
#pragma once

#include "sim/simulation.h"

void list_add(struct list *list, void *item);

/* Takes the item out; the order of the others stays. */
void list_remove(struct list *list, const void *item);

/* Gives the array back, not the items. */
void list_clear(struct list *list);
