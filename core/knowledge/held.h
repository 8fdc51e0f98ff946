/* The pods and containers that a runtime is known to hold. */
#pragma once

#include "core/runtimes/runtime.h"
#include "translate/lists/item.h"

typedef void held_visit(void *state, struct runtime *runtime, enum id_kind kind, const struct list_item *item);

/* Visits each that was last seen; none if no lists of the runtime are kept. */
void held_each(struct runtime *runtime, enum id_kind kind, held_visit *visit, void *state);

/* How many pods or containers a runtime is known to hold. */
size_t held_count(struct runtime *runtime, enum id_kind kind);

/* Whether a pod or container with that id is known; the id is the runtime's own. */
bool held_has(struct runtime *runtime, enum id_kind kind, struct bytes id);
