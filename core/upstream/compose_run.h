/* Answers composed of several questions to one runtime, if the behaviour table names a function for it (see
   translate/compose/compose.h). This asks the questions. */
#pragma once

#include "core/upstream/call.h"
#include "translate/compose/compose.h"

/* How it has ended. */
struct compose_result {
    enum compose_occasion occasion;
    enum compose_outcome outcome; /* COMPOSED_NOTHING or COMPOSED_ANSWER */
    struct error error;           /* the call fails with it */
    struct bytes answer;          /* in the model's dialect */
};

/* `composed` is valid until it returns. */
typedef void compose_done(struct upstream_call *upstream, const struct compose_result *composed);

/* Looks further than the runtime's first answer. false: the table names no function for that, and the first answer is used.
   Otherwise `done` runs once, perhaps before this returns. Questions keep to the caller's deadline and to the runtime's budget.
 */
bool compose_start(struct upstream_call *upstream, enum compose_occasion occasion, compose_done *done);
