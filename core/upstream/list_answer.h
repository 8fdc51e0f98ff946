/* What a runtime answered to a list, taken where it lies: read and converted in the pieces of memory that the transport brought
   it in, so that no byte is copied but those that change. */
#ifndef CRIGATE_UPSTREAM_LIST_ANSWER_H
#define CRIGATE_UPSTREAM_LIST_ANSWER_H

#include "core/upstream/call.h"

/* Whether the upstream call's answer can be taken like that: answers whose fields are all repeated, which end up in one reply. */
bool list_answer_suits(const struct upstream_call *upstream);

/* Whether the answer is a list of more items than limits.list_items: to take it apart would keep everybody else waiting. */
bool list_answer_is_too_long(const struct upstream_call *upstream);

/* Whether the answer is a list of pods or containers, so that list_answer_claims tells whether it has to be looked at closely. */
bool list_answer_is_scanned(const struct upstream_call *upstream);

/* Whether an item of such a list, or of a part of it, has an id with the prefix of another runtime. Much less work than a
   conversion, which would leave the item out. */
bool list_answer_claims(const struct upstream_call *upstream, struct bytes list);

/* Makes the upstream call's message its response, and sets upstream->runs and upstream call->repeats. A list that repeats the
   last known one becomes what that became, see converted_list.h. false, with the reason in upstream->error: it cannot be read. */
bool list_answer_take(struct upstream_call *upstream);

/* Frees what list_answer_take made. */
void list_answer_release(struct upstream_call *upstream);

#endif
