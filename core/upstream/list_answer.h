/* A runtime's answer to a list, read and converted in the transport's pieces of memory: only bytes that change are copied. */
#pragma once

#include "core/upstream/call.h"

/* Whether the upstream call's answer can be taken like that: all its fields are repeated, and the reply is one message. */
bool list_answer_suits(const struct upstream_call *upstream);

/* Whether an item of a list of pods or containers, or of a part of it, has an id with the prefix of another runtime. Much less
   work than a conversion, which would leave the item out. */
bool list_answer_claims(const struct upstream_call *upstream, struct bytes list);

/* Converts the upstream call's message for the caller, and sets seen.runs and seen.repeats. For a list that repeats the last
   known one the result of that time is used again, see converted_list.h. false, with the reason in upstream->error: it cannot be
   read. */
bool list_answer_take(struct upstream_call *upstream);

/* For a list without filter, of a runtime that cannot be queried: answers with the last known one, as another call got it. false:
   none got it yet. */
bool list_answer_repeat_known(struct upstream_call *upstream);

/* The same: upstream->response is the last known list, converted with those losses. Keeps it for others that get the same, and
   answers with what is kept. false: out of memory. */
bool list_answer_keep_known(struct upstream_call *upstream, const struct report *report);
