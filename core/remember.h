/* What the gateway remembers of the calls that pass, as the behaviour table says, and what it makes of that when a runtime cannot be
   asked. */
#ifndef CRIGATE_CORE_REMEMBER_H
#define CRIGATE_CORE_REMEMBER_H

#include "core/branch.h"
#include "core/call.h"

/* When a list or status was asked for, so that an answer that comes late undoes nothing that happened meanwhile. */
struct remember_marks remember_marks(const struct gateway *gateway, struct runtime *runtime);

/* A full list of pods or containers, in the newest dialect of the runtime's package. */
void remember_list(struct gateway *gateway, struct runtime *runtime, enum id_kind kind, struct bytes list,
                   struct remember_marks marks);

/* A runtime answered OK with these bytes. */
void remember_answer(struct branch *branch, struct bytes received);

/* A runtime answered with a failure of its own. */
void remember_failure(struct branch *branch);

/* A runtime could not be asked or did not answer: perhaps what was last seen of it answers (then the branch is `recalled`), perhaps
   the others do without it (`omitted`), else the branch's failure stands. */
void remember_recall(struct branch *branch);

/* Whether the gateway itself must answer "absent": an ImageStatus for an image that a container of another runtime just missed. */
bool remember_says_absent(const struct call *call);

#endif
