/* Answering for a runtime that cannot be asked, from what was last seen of it, as the behaviour table and the runtime map say. */
#ifndef CRIGATE_MEMORY_STALE_ANSWER_H
#define CRIGATE_MEMORY_STALE_ANSWER_H

#include "core/upstream/call.h"

/* A runtime could not be asked or did not answer: perhaps what was last seen of it answers (then the upstream call is
   `recalled`), perhaps the answer goes without it (`omitted`), else the upstream call's failure stands. */
void stale_answer_give(struct upstream_call *upstream);

/* Whether something was seen of the upstream call's runtime that could answer in its place, if it could not be asked. */
bool stale_answer_could_be_given(const struct upstream_call *upstream);

#endif
