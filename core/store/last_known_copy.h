/* What is last known of a runtime as records, which can be kept elsewhere and taken back. */
#ifndef CRIGATE_STORE_LAST_KNOWN_COPY_H
#define CRIGATE_STORE_LAST_KNOWN_COPY_H

#include "core/store/last_known.h"

enum last_known_part {
    LAST_KNOWN_GIVEN_UP, /* everything before this */
    LAST_KNOWN_LIST,
    LAST_KNOWN_CREATED,
    LAST_KNOWN_REMOVED,
    LAST_KNOWN_STATUS,
    LAST_KNOWN_PARTS,
};

struct last_known_record {
    enum last_known_part part;
    enum id_kind kind;
    enum dialect dialect;
    uint64_t sequence;    /* when it was asked for, or happened */
    int64_t taken_at;     /* of lists and statuses */
    struct bytes id;      /* of what was removed; empty otherwise: the content tells */
    struct bytes content; /* empty for what was removed */
};

/* Shows all that is known to `visit`, lists before what happened since; stops when that answers false, and answers the same.
   Records borrow from the store. */
bool last_known_each(const struct last_known *store, bool (*visit)(void *state, const struct last_known_record *record),
                     void *state);

/* Takes a record back into a store that nothing else has used yet. What comes from outside is checked at every level. false:
   INTERNAL with what is wrong with it, RESOURCE_EXHAUSTED beyond the store's limit. */
bool last_known_restore(struct last_known *store, const struct last_known_record *record, struct error *error);

#endif
