/* What an operator lets through although a runtime's dialect cannot say it. By default nothing: such a request is refused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "generated/rule_ids.h"
#include "translate/bytes/error.h"
#include "translate/schema/schema.h"

struct report;

/* Zero-initialised it is strict. */
struct leniency {
    bool all;
    bool rules[TRANSLATION_RULE_COUNT];
};

/* Whether what is refused under that rule is let through. `leniency` may be NULL. */
static inline bool leniency_lets_through(const struct leniency *leniency, uint16_t rule)
{
    return leniency && (leniency->all || leniency->rules[rule]);
}

/* Adds what a name stands for: a rule under which requests are refused ("Mount.image"), or the path of a field in any request, as
   refusals print it ("config.mounts[2].image"), which stands for the rules of that field wherever it occurs. INVALID_ARGUMENT
   with what would be right for a name that nothing is refused by. */
bool leniency_add(struct leniency *leniency, const char *name, struct error *error);

/* Where a request says what the runtime's dialect cannot. `rule` is an index into translation_rules, `path` the field's place in
   the request, `reason` goes on after "the runtime's dialect v1_9 ". When the rule is let through: counts it in the report, which
   may be NULL, and answers true; the caller then leaves the field out. Otherwise false with INVALID_ARGUMENT, which names path,
   dialect, reason, and what would let it through. */
bool leniency_refuse(const struct leniency *leniency, struct report *report, enum dialect to, uint16_t rule, const char *path,
                     const char *reason, struct error *error);
