/* The course of an upstream call: request converted, runtime called, answer converted and learned from. */
#ifndef CRIGATE_UPSTREAM_RUN_H
#define CRIGATE_UPSTREAM_RUN_H

#include "core/upstream/call.h"

/* Converts the request and calls the runtime in that place of the request's generation. Always leads to one `ended` or `stream`
   of the owner's callbacks, perhaps before it returns. What the runtime lacks, or what it means that it cannot be asked, is as
   the behaviour table and the runtime map say. */
void upstream_start(struct upstream_call *upstream, const struct upstream_owner *owner, size_t position);

/* Sends the request, which is converted already, to the runtime: as upstream_start does where no stream answers. Leads to one
   `ended`. */
void upstream_ask(struct upstream_call *upstream);

/* The runtime could not be asked or did not answer, as upstream->error tells: what was last seen of it may be the response then
   (`stale`), or the answer may go without it (`omitted`); else the failure stands. */
void upstream_stand_in(struct upstream_call *upstream);

/* After the reply: learns what was put off until then so that the caller need not wait for it. */
void upstream_learn(struct upstream_call *upstream);

#endif
