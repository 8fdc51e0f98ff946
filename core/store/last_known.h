/* What was last seen of one runtime: its pods and containers, and their statuses, to stand for it while it cannot be asked.

   All ids are the runtime's own, and bytes are kept as they came from the runtime, in the dialect that it spoke then. For one
   thread. Times are milliseconds of a clock that never goes back and survives a restart of the process (CLOCK_BOOTTIME,
   CLOCK_MONOTONIC).

   What is answered late must not undo what happened meanwhile. So last_known_sequence is called when a list or status is asked
   for, and its answer is handed back together with the runtime's: a pod that was made after a list was asked for stays although
   the list lacks it; one that was removed after it stays away.

   What is not known is never made up: where bytes are given up (too big, no memory), nothing is known from then on, until the
   next list. */
#ifndef CRIGATE_STORE_LAST_KNOWN_H
#define CRIGATE_STORE_LAST_KNOWN_H

#include "core/store/list_digest.h"
#include "translate/arena.h"
#include "translate/error.h"
#include "translate/id_kind.h"
#include "translate/list_filter.h"
#include "translate/pieces.h"
#include "translate/schema.h"

struct last_known;

#define LAST_KNOWN_DEFAULT_LIMIT ((size_t)64 * 1024 * 1024)

/* A store that holds at most `limit` bytes: beyond them statuses go first, the oldest of them first, then everything. NULL when
   there is no memory. */
struct last_known *last_known_new(size_t limit);

/* NULL is allowed. */
void last_known_free(struct last_known *store);

/* ---- what is seen ---- */

/* A number greater than all before; see above. */
uint64_t last_known_sequence(struct last_known *store);

/* A list without filter that the runtime answered, aligned if it is in pieces. It replaces what was known before it was asked
   for; an answer older than that is left alone. The bytes are copied. false: INTERNAL when they are malformed, and what was known
   stays; RESOURCE_EXHAUSTED when there is no room for them, and nothing is known any more. */
bool last_known_set_list(struct last_known *store, enum id_kind kind, enum dialect dialect, struct pieces list, uint64_t asked,
                         int64_t now, struct error *error);

/* What a list would be if it said nothing new: a busy node's kubelet gets the same list again and again, and reading it item by
   item would tell nothing. */
struct last_known_repetition {
    uint64_t number; /* 0: there is no such list; otherwise other items of that store never have the same */
    struct list_digest digest;
    struct list_digester digester; /* that it is made with */
};

/* That of a list asked for at that time. */
struct last_known_repetition last_known_repetition(const struct last_known *store, enum id_kind kind, enum dialect dialect,
                                                   uint64_t asked);

/* The runtime answered just that. */
void last_known_repeated(struct last_known *store, enum id_kind kind, uint64_t asked, int64_t now);

/* A pod or container that the runtime made: its item, from list_item_compose. Call it before the answer goes to the caller.
   false: INTERNAL when it is not one item with an id, RESOURCE_EXHAUSTED as above. */
bool last_known_created(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes item,
                        struct error *error);

/* A pod or container that the runtime removed. With a pod, its containers are gone too. */
void last_known_removed(struct last_known *store, enum id_kind kind, struct bytes id);

/* An answer to PodSandboxStatus or ContainerStatus, not verbose. Whom it is about is read from it. false as with lists. A status
   is dropped with its pod or container, when a list that was asked for later tells another state, and when room is short. */
bool last_known_set_status(struct last_known *store, enum id_kind kind, enum dialect dialect, struct bytes response,
                           uint64_t asked, int64_t now, struct error *error);

/* Nothing is known any more, until the next list that is asked for: what was seen is not of this runtime, or must be doubted. */
void last_known_forget(struct last_known *store);

/* ---- what is known ---- */

struct last_known_piece {
    enum dialect dialect;
    struct bytes response;
};

/* List responses that, each converted to the caller's dialect, one after the other are the whole answer. */
struct last_known_list {
    struct last_known_piece pieces[DIALECT_COUNT];
    size_t count;     /* 0: it is known that there is nothing to show */
    int64_t taken_at; /* when the runtime answered */
};

/* The pods or containers that the filter asks for, in the arena. The filter's names must be the runtime's own. false: UNAVAILABLE
   when nothing is known yet, RESOURCE_EXHAUSTED when the arena is at its cap. */
bool last_known_list(struct last_known *store, enum id_kind kind, struct list_filter *filter, struct arena *arena,
                     struct last_known_list *list, struct error *error);

/* The last status of a pod or container by its whole id, borrowed from the store until its next change; false when none is known.
   A status is never made up from a list: it would lack addresses and exit codes. */
bool last_known_status(const struct last_known *store, enum id_kind kind, struct bytes id, struct last_known_piece *status,
                       int64_t *taken_at);

/* Whether a list is known, and when it was taken. */
bool last_known_taken_at(const struct last_known *store, enum id_kind kind, int64_t *taken_at);

/* Whether what was known was given up or forgotten, and no list of that kind came since. Then that nothing is known does not mean
   that nothing was ever there. Survives in a copy. */
bool last_known_gave_up(const struct last_known *store, enum id_kind kind);

/* Changes with what is known, but not when a list only says again which ids there are and in which state: whoever keeps a copy
   elsewhere sees whether it is still good. */
uint64_t last_known_version(const struct last_known *store);

/* Bytes in use. */
size_t last_known_memory(const struct last_known *store);

#endif
