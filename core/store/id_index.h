/* Finds the runtime that holds a plain id. In memory only: learned from calls and from lists. For one thread. */
#pragma once

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"
#include "translate/schema/id_kind.h"

struct id_index;

#define ID_INDEX_LIMIT 1000000        /* ids of all runtimes together */
#define ID_INDEX_RUNTIME_LIMIT 250000 /* pods and containers of one runtime, so that it cannot displace others */
#define ID_INDEX_LONGEST 255          /* bytes in an id */

/* What is known about an id. */
enum id_answer {
    ID_UNKNOWN,
    ID_HELD,     /* by one runtime */
    ID_DISPUTED, /* two runtimes claim it: neither must be asked */
    ID_SEVERAL,  /* the beginning of several ids */
};

/* NULL when out of memory. */
struct id_index *id_index_new(void);

/* NULL is allowed. */
void id_index_free(struct id_index *index);

/* Records that a runtime holds an id. `runtime` is a number below 65535 that belongs to that runtime as long as the index knows
   ids of it. false: ALREADY_EXISTS if another runtime holds the id (see id_index_find; from now on it is disputed),
   RESOURCE_EXHAUSTED beyond a limit or without memory, INVALID_ARGUMENT for an id that is empty or too long. */
bool id_index_learn(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime, struct error *error);

/* Looks up an id. `runtime` is set to the holder, for a disputed id to the runtime that had it first; otherwise it is unchanged.
 */
enum id_answer id_index_find(const struct id_index *index, enum id_kind kind, struct bytes id, unsigned *runtime);

/* Looks up the only id with that beginning; `runtime` is set as above. Searches all ids, unless it is a digest, which is
 * complete.
 */
enum id_answer id_index_find_beginning(const struct id_index *index, enum id_kind kind, struct bytes beginning,
                                       unsigned *runtime);

/* Records that the runtime no longer holds the id: it was removed there. A dispute about it ends. */
void id_index_forget(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime);

/* Forgets all ids of a runtime. */
void id_index_forget_runtime(struct id_index *index, unsigned runtime);

/* Learning a runtime's ids again, from a list without filter:
       before the list is asked for: listing = id_index_begin(index)
       when the answer is there: id_index_learn for each id, then id_index_end(index, runtime, kind, listing)
   which forgets what the runtime held before the begin and did not list. What was learned in between (a pod created meanwhile)
   stays. A listing that fails needs no end. Several may run at once. */
uint64_t id_index_begin(struct id_index *index);
void id_index_end(struct id_index *index, unsigned runtime, enum id_kind kind, uint64_t listing);

/* The number of ids of a kind that a runtime holds; an id that another runtime holds is not counted. */
size_t id_index_count(const struct id_index *index, enum id_kind kind, unsigned runtime);

/* Bytes of memory in use. */
size_t id_index_memory(const struct id_index *index);
