/* What was last seen of one runtime: its pods and containers, and their statuses. It answers for the runtime while the runtime is
   unavailable.

   All ids are the runtime's own. Bytes are kept as received from the runtime, in the dialect that it spoke then. For one thread.
   Times are milliseconds of a clock that never goes back and survives a restart of the process (CLOCK_BOOTTIME, CLOCK_MONOTONIC).

   A late answer must not undo what happened meanwhile. Call last_known_sequence when you ask for a list or status, and pass the
   number on with the runtime's answer. A pod that was made after the list was asked for stays, although the list lacks it; one
   that was removed after that stays removed.

   A full list can be held instead of taken at once: one that follows soon replaces it unread, and everything that is asked or
   noted here takes it first. Only last_known_repetition does not look at it.

   Nothing is made up: when bytes are given up (too big, out of memory), nothing is known until the next list. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "core/store/last_known_lists.h"
#include "translate/lists/filter.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

struct last_known;

#define LAST_KNOWN_DEFAULT_LIMIT ((size_t)64 * 1024 * 1024)

/* A store of at most `limit` bytes: beyond them it drops statuses, the oldest first, and then everything. NULL: out of memory. */
struct last_known *last_known_new(size_t limit);

/* NULL is allowed. */
void last_known_free(struct last_known *store);

/* ---- what was seen ---- */

/* A number greater than all before. See above. */
uint64_t last_known_sequence(struct last_known *store);

/* A pod or container that the runtime made: its item, from list_item_compose. Call this before the answer goes to the caller.
   false: INTERNAL when it is not one item with an id, RESOURCE_EXHAUSTED as above. */
bool last_known_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes item,
                        struct error *error);

/* A pod or container that the runtime removed; with a pod, its containers. */
void last_known_removed(struct last_known *store, enum id_kind kind, struct bytes id);

/* An answer to PodSandboxStatus or ContainerStatus, not verbose. The id is read from it. false as for lists. A status is dropped
   with its pod or container, when a later list has another state, and when space runs out. */
bool last_known_set_status(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes response,
                           uint64_t asked, int64_t now, struct error *error);

/* Forgets everything until the next list that is asked for: what was seen is not of this runtime, or may be stale. */
void last_known_forget(struct last_known *store);

/* ---- what is known ---- */

struct last_known_piece {
    enum dialect dialect;
    struct bytes response;
};

/* List responses: converted to the caller's dialect, one after another, they are the answer. */
struct last_known_list {
    struct last_known_piece pieces[DIALECT_COUNT];
    size_t count;     /* 0: there is nothing to show, for certain */
    int64_t taken_at; /* when the runtime answered */
};

/* The pods or containers that match the filter, in the arena. The filter's names must be the runtime's own. false: UNAVAILABLE
   when nothing is known yet, RESOURCE_EXHAUSTED when the arena is full. */
bool last_known_list(struct last_known *store, enum id_kind kind, struct list_filter *filter, struct arena *arena,
                     struct last_known_list *list, struct error *error);

/* The last status of a pod or container by its full id, borrowed from the store until its next change; false when none is known.
   A status is never derived from a list: it would lack addresses and exit codes. */
bool last_known_status(struct last_known *store, enum id_kind kind, struct bytes id, struct last_known_piece *status,
                       int64_t *taken_at);

/* Whether a list is known, and when it was taken. */
bool last_known_taken_at(struct last_known *store, enum id_kind kind, int64_t *taken_at);

/* Whether everything was given up or forgotten, and no list of that kind came since. Then there may be pods although none is
   known. Survives in a copy. */
bool last_known_gave_up(struct last_known *store, enum id_kind kind);

/* Changes with what is known, but not when a list has the same ids in the same states: shows whether a copy is still current. */
uint64_t last_known_version(struct last_known *store);

/* Changes with everything that last_known_list shows: if it is the same, so is the list. */
uint64_t last_known_edition(struct last_known *store);

/* Bytes in use. */
size_t last_known_memory(struct last_known *store);
