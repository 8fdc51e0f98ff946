/* Stores a runtime's list in converted form, as long as the runtime repeats the list: a kubelet lists everything every second,
   and then nothing has to be converted again. Also stores the last-known list of an unavailable runtime. */
#pragma once

#include <grpc/slice.h>

#include "translate/schema/schema.h"
#include "translate/walk/report.h"

/* The key of a converted list: if it is equal, so is the answer. */
struct converted_list_key {
    uint64_t list;       /* number of the list, see last_known_repetition; 0: it is what was last known */
    uint64_t edition;    /* of what is last known, if it is that */
    uint64_t generation; /* number of the generation, whose map has the names */
    enum dialect to;
};

/* Zero-initialised: nothing is stored. */
struct converted_list {
    bool kept;
    struct converted_list_key key;
    grpc_slice answer;
    struct report report;   /* what was left out */
    uint64_t examined_list; /* number of a list that was found to have no names of another runtime, */
    uint64_t examined_in;   /* and of the generation of that check; whether the list is stored or not */
};

/* Whether the converted list is that of the key. */
bool converted_list_suits(const struct converted_list *converted, const struct converted_list_key *key);

/* Whether the key's list was checked in the key's generation, and has no names of another runtime. */
bool converted_list_examined(const struct converted_list *converted, const struct converted_list_key *key);

/* Records that it was. */
void converted_list_note_examined(struct converted_list *converted, const struct converted_list_key *key);

/* Longer lists are not stored in a second form; enough for some ten thousand containers. */
#define CONVERTED_LIST_LONGEST ((size_t)8 * 1024 * 1024)

/* Stores a converted list, with a reference of its own, in place of the previous one. */
void converted_list_keep(struct converted_list *converted, const struct converted_list_key *key, grpc_slice answer,
                         const struct report *report);

/* Drops the stored list, if any; answers that are being sent keep their bytes. */
void converted_list_clear(struct converted_list *converted);
