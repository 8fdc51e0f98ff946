/* Answers put together from more questions to one runtime, where the behaviour table names a function for it (see
   translate/compose.h): this asks the questions. */
#ifndef CRIGATE_UPSTREAM_COMPOSE_RUN_H
#define CRIGATE_UPSTREAM_COMPOSE_RUN_H

#include "core/upstream/call.h"

/* Looks further than what the runtime of an upstream call answered at first. false when the table
   names nothing for that, or it is to stand as it is; else it leads to one compose_result, perhaps before it returns. Questions
   keep to the caller's deadline and to the runtime's budget. */
bool compose_start(struct upstream_call *upstream, enum compose_occasion occasion);

#endif
