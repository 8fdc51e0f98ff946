/* Answers put together from more questions to one runtime, where the behaviour table names a function for it (see
   translate/compose.h): this asks the questions. */
#ifndef CRIGATE_UPSTREAM_COMPOSE_RUN_H
#define CRIGATE_UPSTREAM_COMPOSE_RUN_H

#include "core/upstream/call.h"
#include "translate/compose.h"

/* How it has ended. */
struct compose_result {
    enum compose_occasion occasion;
    enum compose_outcome outcome; /* COMPOSED_NOTHING or COMPOSED_ANSWER */
    struct error error;           /* the call fails with it */
    struct bytes answer;          /* in the model's dialect */
};

/* `composed` is gone when it returns. */
typedef void compose_done(struct upstream_call *upstream, const struct compose_result *composed);

/* Looks further than what the runtime of an upstream call answered at first. false when the table names nothing for that, or it
   is to stand as it is; else `done` runs once, perhaps before this returns. Questions keep to the caller's deadline and to the
   runtime's budget. */
bool compose_start(struct upstream_call *upstream, enum compose_occasion occasion, compose_done *done);

#endif
