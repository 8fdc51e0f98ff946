/* The lists of what is last known of a runtime. A part of last_known.h, which says what holds for all of it. */
#pragma once

#include <grpc/slice.h>

#include "base/bytes/error.h"
#include "core/store/list_digest.h"
#include "translate/bytes/pieces.h"
#include "translate/schema/id_kind.h"
#include "translate/schema/schema.h"

struct last_known;

/* The runtime's answer to a list without filter; pieces end between two items. It replaces what was known before it was asked
   for; an older answer is ignored. The bytes are copied. false: INTERNAL when they are malformed, and what was known stays;
   RESOURCE_EXHAUSTED when there is no room for them, and then nothing is known. */
bool last_known_set_list(struct last_known *store, enum id_kind kind, enum dialect dialect, struct pieces list, uint64_t asked,
                         int64_t now, struct error *error);

/* A list that is unchanged: a busy node's kubelet gets the same list again and again, and need not be read item by item. */
struct last_known_repetition {
    uint64_t number; /* 0: there is no such list; otherwise other items of that store never have the same */
    struct list_digest digest;
    struct list_digester digester; /* that it is made with */
};

/* That of a list asked for at that time. Number 0 also if lists that say something new follow one another: then it is cheaper
   not to compare them at once. */
struct last_known_repetition last_known_repetition(const struct last_known *store, enum id_kind kind, enum dialect dialect,
                                                   uint64_t asked);

/* The runtime answered with an unchanged list. */
void last_known_repeated(struct last_known *store, enum id_kind kind, uint64_t asked, int64_t now);

/* As last_known_set_list, but does only as little as must be done at once: keeps references to the slices, and reads them when
   they are needed, or when last_known_settle is called. `digest` is made with the digester of last_known_repetition; NULL: it was
   not made. The whole list must be known to consist of fields that are complete. false: out of memory, nothing has changed. */
bool last_known_hold_list(struct last_known *store, enum id_kind kind, enum dialect dialect, const grpc_slice *slices,
                          size_t count, const struct list_digest *digest, uint64_t asked, int64_t now);

/* Takes lists that are held. false: a list that was held, here or earlier, could not be taken, for the reasons of
   last_known_set_list; each such failure is reported once. */
bool last_known_settle(struct last_known *store, struct error *error);

/* Takes lists that are held. For last_known*.c: before anything else is read or changed. */
void last_known_take_held(struct last_known *store);
