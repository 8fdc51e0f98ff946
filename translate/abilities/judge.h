/* Judges a request, in the dialect in which it goes to the runtime, by what that runtime accepts but ignores. */
#pragma once

#include "base/bytes/error.h"
#include "translate/abilities/abilities.h"
#include "translate/walk/leniency.h"
#include "translate/walk/report.h"

struct ability_judgement {
    const struct ability_set *set;
    const struct leniency *leniency; /* may be NULL */
    struct report *report;
    const struct method *method;
    enum dialect dialect; /* the runtime's */
};

/* Looks at each value that the runtime ignores and that asks for something. One of class confinement, or one that the runtime map
   makes strict, is refused: false with INVALID_ARGUMENT and a message with path, runtime, reason, and the setting that would let
   it through. The others are counted as ignored, and pass on unchanged. What a runtime that is not known may ignore passes, too,
   and is noted in report->unsure. `request` is a valid message of the dialect, such as a conversion returns; what is malformed is
   INVALID_ARGUMENT as well. */
bool ability_judge(const struct ability_judgement *judgement, struct bytes request, struct error *error);
