/* What a runtime's list became for its callers, kept while the runtime says the same again and again, as it does to a kubelet
   that lists everything every second: what is the same list becomes the same answer, and nothing has to be converted. */
#ifndef CRIGATE_STORE_CONVERTED_LIST_H
#define CRIGATE_STORE_CONVERTED_LIST_H

#include <grpc/slice.h>

#include "translate/convert.h"

/* What a rendition depends on: that it is the same says that the answer is. */
struct list_rendition_key {
    uint64_t list;       /* number of the list, see last_known_repetition */
    uint64_t generation; /* number of the generation, whose map has the names */
    enum dialect to;
};

/* One that is all zeros has nothing kept. */
struct list_rendition {
    bool kept;
    struct list_rendition_key key;
    grpc_slice answer;
    struct report report;   /* what was left out */
    uint64_t examined_list; /* number of the list that was found to name nothing of another runtime's, */
    uint64_t examined_in;   /* and of the generation in which; kept or not */
};

/* Whether the rendition is that of the key. */
bool list_rendition_suits(const struct list_rendition *rendition, const struct list_rendition_key *key);

/* Whether the key's list was examined in the key's generation, and found to name nothing of another runtime's. */
bool list_rendition_examined(const struct list_rendition *rendition, const struct list_rendition_key *key);

/* Notes that it was. */
void list_rendition_note_examined(struct list_rendition *rendition, const struct list_rendition_key *key);

/* A list of more bytes than that is not kept in two forms: some ten thousand containers. */
#define LIST_RENDITION_LONGEST ((size_t)8 * 1024 * 1024)

/* Keeps what a list became, a reference of its own, in place of what was kept before. */
void list_rendition_keep(struct list_rendition *rendition, const struct list_rendition_key *key, grpc_slice answer,
                         const struct report *report);

/* Lets go of what is kept, if anything is; answers on their way keep their bytes. */
void list_rendition_clear(struct list_rendition *rendition);

#endif
