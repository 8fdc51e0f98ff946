/* What a runtime's list became for its callers, kept while the runtime says the same again and again, as it does to a kubelet
   that lists everything every second: what is the same list becomes the same answer, and nothing has to be converted. */
#pragma once

#include <grpc/slice.h>

#include "translate/schema/schema.h"
#include "translate/walk/report.h"

/* What a converted list depends on: that it is the same says that the answer is. */
struct converted_list_key {
    uint64_t list;       /* number of the list, see last_known_repetition */
    uint64_t generation; /* number of the generation, whose map has the names */
    enum dialect to;
};

/* One that is all zeros has nothing kept. */
struct converted_list {
    bool kept;
    struct converted_list_key key;
    grpc_slice answer;
    struct report report;   /* what was left out */
    uint64_t examined_list; /* number of the list that was found to name nothing of another runtime's, */
    uint64_t examined_in;   /* and of the generation in which; kept or not */
};

/* Whether the converted list is that of the key. */
bool converted_list_suits(const struct converted_list *converted, const struct converted_list_key *key);

/* Whether the key's list was examined in the key's generation, and found to name nothing of another runtime's. */
bool converted_list_examined(const struct converted_list *converted, const struct converted_list_key *key);

/* Notes that it was. */
void converted_list_note_examined(struct converted_list *converted, const struct converted_list_key *key);

/* A list of more bytes than that is not kept in two forms: some ten thousand containers. */
#define CONVERTED_LIST_LONGEST ((size_t)8 * 1024 * 1024)

/* Keeps what a list became, a reference of its own, in place of what was kept before. */
void converted_list_keep(struct converted_list *converted, const struct converted_list_key *key, grpc_slice answer,
                         const struct report *report);

/* Lets go of what is kept, if anything is; answers on their way keep their bytes. */
void converted_list_clear(struct converted_list *converted);
