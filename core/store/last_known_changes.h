/* The parts of last_known.c that apply one change at a given time. For last_known_copy.c. */
#pragma once

#include "core/store/last_known_items.h"

/* When it was removed; 0 when it was not, or later lists reflect it. */
uint64_t last_known_removed_at(const struct last_known *store, enum id_kind kind, struct bytes id);

/* A removal or creation at that time. The first returns false without memory. */
bool last_known_mark_removed(struct last_known *store, enum id_kind kind, struct bytes id, uint64_t sequence);
bool last_known_mark_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes list,
                             uint64_t sequence, struct error *error);

/* A status that is not too late. `status` has all but the content. */
bool last_known_keep_status(struct last_known *store, enum id_kind kind, struct bytes id, const struct status *status,
                            struct bytes response, struct error *error);
