/* What a runtime answered to a list, taken where it lies: read and converted in the pieces of memory that the transport brought
   it in, so that no byte is copied but those that change. */
#ifndef CRIGATE_UPSTREAM_LIST_ANSWER_H
#define CRIGATE_UPSTREAM_LIST_ANSWER_H

#include "core/upstream/call.h"

/* Whether the upstream call's answer can be taken like that: answers whose fields are all repeated, which end up in one reply. */
bool list_answer_suits(const struct upstream_call *upstream);

/* Whether an item of a list of pods or containers, or of a part of it, has an id with the prefix of another runtime. Much less
   work than a conversion, which would leave the item out. */
bool list_answer_claims(const struct upstream_call *upstream, struct bytes list);

/* Makes the upstream call's message its answer, and sets seen.runs and seen.repeats. A list that repeats the
   last known one becomes what that became, see converted_list.h. false, with the reason in upstream->error: it cannot be read. */
bool list_answer_take(struct upstream_call *upstream);

#endif
