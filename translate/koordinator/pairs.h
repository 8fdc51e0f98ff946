/* Maps of strings, and lists of KeyValue, which look the same on the wire. */
#pragma once

#include "base/bytes/error.h"
#include "translate/bytes/output.h"

/* One entry. */
struct pair {
    struct bytes key;
    struct bytes value;
    struct bytes entry; /* as received, if it is as it is written; else without data */
};

/* Reads the payload of an entry, from which the pair borrows. false: it is malformed. */
bool pair_read(struct bytes entry, struct pair *pair);

/* Appends entries as field `number` to the output, in the order of their keys. Of several with one key only the last counts: it
   is what a map holds, and what a process sees of its environment. An entry is left out if its key or value cannot be sent (see
   translate/hooks/text.h). `order` has the entries in the order of the message, which must be that of the pairs in memory; it is
   sorted. false: RESOURCE_EXHAUSTED at the arena's cap. */
bool pairs_put(struct walk_output *output, uint32_t number, const struct pair **order, size_t count, struct error *error);

/* The same for all entries of field `from` of an encoded message. false: also INTERNAL for malformed bytes. */
bool pairs_move(struct bytes message, uint32_t from, uint32_t to, struct walk_output *output, struct error *error);
