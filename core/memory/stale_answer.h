/* Answering for a runtime that cannot be asked, from what was last seen of it, as the behaviour table and the runtime map say. */
#ifndef CRIGATE_MEMORY_STALE_ANSWER_H
#define CRIGATE_MEMORY_STALE_ANSWER_H

#include "core/upstream/call.h"

/* A runtime could not be asked or did not answer: perhaps what was last seen of it answers (then the branch is `recalled`),
   perhaps the answer goes without it (`omitted`), else the branch's failure stands. */
void recall_answer(struct branch *branch);

/* Whether something was seen of the branch's runtime that could answer in its place, if it could not be asked. */
bool recall_could_answer(const struct branch *branch);

#endif
