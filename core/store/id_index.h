/* Which runtime holds an id that does not say so itself. In memory only: learned from what passes, and from lists. For one
   thread. */
#pragma once

#include "translate/bytes/bytes.h"
#include "translate/bytes/error.h"
#include "translate/schema/id_kind.h"

struct id_index;

#define ID_INDEX_LIMIT 1000000        /* ids of all runtimes together */
#define ID_INDEX_RUNTIME_LIMIT 250000 /* pods and containers of one runtime, so that it cannot crowd out others */
#define ID_INDEX_LONGEST 255          /* bytes in an id */

/* What is known of an id. */
enum id_answer {
    ID_UNKNOWN,
    ID_HELD,     /* by one runtime */
    ID_DISPUTED, /* two runtimes claim it: neither may be asked */
    ID_SEVERAL,  /* a beginning that several ids have */
};

/* NULL when there is no memory. */
struct id_index *id_index_new(void);

/* NULL is allowed. */
void id_index_free(struct id_index *index);

/* A runtime says that it holds an id. `runtime` is a number below 65535 that stays that runtime's as long as the index knows ids
   of it. false: ALREADY_EXISTS when another runtime holds the id (id_index_find tells which; from now on it is disputed),
   RESOURCE_EXHAUSTED beyond a limit or without memory, INVALID_ARGUMENT for an id that is empty or too long. */
bool id_index_learn(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime, struct error *error);

/* One look-up. `runtime` is set to the holder, for a disputed id to the runtime that had it first; otherwise it is left alone. */
enum id_answer id_index_find(const struct id_index *index, enum id_kind kind, struct bytes id, unsigned *runtime);

/* Whose the one id is that begins so; `runtime` is set as above. Looks at all ids, unless it is a digest, which is whole. */
enum id_answer id_index_find_beginning(const struct id_index *index, enum id_kind kind, struct bytes beginning,
                                       unsigned *runtime);

/* That runtime holds the id no more: it was removed there. A dispute about it ends. */
void id_index_forget(struct id_index *index, enum id_kind kind, struct bytes id, unsigned runtime);

/* All ids of a runtime. */
void id_index_forget_runtime(struct id_index *index, unsigned runtime);

/* Learning a runtime's ids anew, from a list without filter:
       before the list is asked for: listing = id_index_begin(index)
       when the answer is there: id_index_learn for each id, then id_index_end(index, runtime, kind, listing)
   which forgets what the runtime held before the begin and did not list. What was learned in between (a pod created meanwhile)
   stays. A listing that fails needs no end. Several may run at once. */
uint64_t id_index_begin(struct id_index *index);
void id_index_end(struct id_index *index, unsigned runtime, enum id_kind kind, uint64_t listing);

/* How many ids of a kind a runtime holds; one that it claims but another holds is not counted. */
size_t id_index_count(const struct id_index *index, enum id_kind kind, unsigned runtime);

/* Bytes of memory in use. */
size_t id_index_memory(const struct id_index *index);
