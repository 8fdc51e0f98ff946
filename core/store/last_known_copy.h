/* What is last known of a runtime as records, which can be kept elsewhere and taken back. */
#pragma once

#include "core/store/last_known.h"

enum last_known_part {
    LAST_KNOWN_GIVEN_UP, /* everything before its sequence number */
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
    struct bytes id;      /* of what was removed; empty otherwise: the content has it */
    struct bytes content; /* empty for what was removed */
};

/* Calls `visit` for all that is known, lists before later changes. Stops when it returns false, and returns the same. Records
   borrow from the store. */
bool last_known_each(struct last_known *store, bool (*visit)(void *state, const struct last_known_record *record), void *state);

/* Puts a record into a store that is not used yet. Records come from outside, so all of their content is checked. false: INTERNAL
   with what is wrong, RESOURCE_EXHAUSTED beyond the store's limit. */
bool last_known_restore(struct last_known *store, const struct last_known_record *record, struct error *error);
