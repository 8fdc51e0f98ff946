/* What an operator lets through although a runtime's dialect cannot express it, or the runtime ignores it, and what the operator
   refuses although it would pass. By default a request is refused if its dialect lacks a field, or if the runtime ignores one of
   class confinement (translate/abilities/table.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/error.h"
#include "generated/rule_ids.h"
#include "translate/schema/schema.h"

struct report;

/* Zero-initialised it is strict. */
struct leniency {
    bool all;
    bool rules[TRANSLATION_RULE_COUNT];
    bool strict[TRANSLATION_RULE_COUNT]; /* of class tuning: a request that asks for it of a runtime that ignores it is refused */
    bool strict_unknown;                 /* so is one with a field that crigate does not know and the runtime's package lacks */
};

/* Stands among names of fields for those that crigate does not know. */
#define LENIENCY_UNKNOWN "unknown"

/* Whether the operator lets through what that rule refuses. `leniency` may be NULL. */
static inline bool leniency_lets_through(const struct leniency *leniency, uint16_t rule)
{
    return leniency && (leniency->all || leniency->rules[rule]);
}

/* Whether the operator refuses what would pass although the runtime ignores it. `leniency` may be NULL. */
static inline bool leniency_is_strict(const struct leniency *leniency, uint16_t rule)
{
    return leniency && leniency->strict[rule];
}

/* Adds a name to what is let through: a rule because of which requests are refused ("Mount.image"), or the path of a field in any
   request, as refusals print it ("config.mounts[2].image"), which means the rules of that field wherever it occurs.
   INVALID_ARGUMENT, with a suggestion, if nothing is refused because of that name. */
bool leniency_add(struct leniency *leniency, const char *name, struct error *error);

/* Adds a name, of the same two forms or LENIENCY_UNKNOWN, to what is strict. INVALID_ARGUMENT, with a suggestion, if no known
   runtime ignores that field, or one that does has such requests refused anyway. */
bool leniency_add_strict(struct leniency *leniency, const char *name, struct error *error);

/* Call this if a request contains something that the runtime's dialect cannot express. `rule` is an index into translation_rules,
   `path` the field's place in the request, `reason` continues "the runtime's dialect v1_9 ". If the rule is let through: counts
   it in the report, which may be NULL, and returns true; the caller then leaves the field out. Otherwise notes the refusal in the
   report: false with INVALID_ARGUMENT and a message with path, dialect, reason, and the setting that would let it through. */
bool leniency_refuse(const struct leniency *leniency, struct report *report, enum dialect to, uint16_t rule, const char *path,
                     const char *reason, struct error *error);
