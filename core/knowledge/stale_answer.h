/* Answers for an unavailable runtime from its last-known state, as the behaviour table and the runtime map specify.
 */
#pragma once

#include "core/knowledge/observation.h"

/* The outcome of a runtime's failure. */
enum stale_answer {
    STALE_NONE,  /* the failure is the answer */
    STALE_OMIT,  /* the answer omits the runtime */
    STALE_FOUND, /* what was last seen of the runtime is the answer: stale_answer_read */
};

/* A runtime could not be asked or did not answer, for the reason in `error`: looks for another answer. STALE_NONE: `error` may
   have more detail than before. */
enum stale_answer stale_answer_find(const struct observation *seen, struct error *error);

/* The answer that was found, in pieces, each of which must be converted for the caller; they are in the arena, or borrowed until
   something is learned. false: it cannot be read. */
bool stale_answer_read(const struct observation *seen, struct arena *arena, struct last_known_list *pieces);

/* The same as stale_answer_find if what was found cannot be read or converted: STALE_NONE or STALE_OMIT. */
enum stale_answer stale_answer_none(const struct observation *seen, struct error *error);

/* Whether something was seen of the runtime that could answer in its place, if it could not be asked. */
bool stale_answer_could_be_given(const struct observation *seen);
