/* Explains how calls are translated between two dialects, from the tables that conversions use: for docs/translation.md and
   `crigate explain`. Everything that is not listed passes unchanged. */
#pragma once

#include <stddef.h>

#include "translate/abilities/abilities.h"
#include "translate/schema/method.h"
#include "translate/walk/text_table.h"

enum verdict {
    VERDICT_REFUSED,    /* the request is refused if it sets this */
    VERDICT_JUDGED,     /* a normalisation decides: carried by other means, harmless, or refused */
    VERDICT_CARRIED,    /* expressed in another way, with the same meaning */
    VERDICT_NORMALISED, /* a normalisation keeps the meaning of a configuration */
    VERDICT_DROPPED,    /* left out and counted */
    VERDICT_SAME,       /* the schemas differ, the bytes do not */
    VERDICT_COUNT,
};

enum way {
    WAY_REQUEST, /* from the caller to the runtime */
    WAY_ANSWER,  /* from the runtime to the caller */
};

/* The calls to explain: the dialects of both sides, and which of the two messages. */
struct explain_scope {
    enum dialect caller;
    enum dialect runtime;
    enum way way;
    const struct method *method; /* NULL: all that both dialects have */
};

/* One difference that affects these calls. */
struct explained {
    enum verdict verdict;
    const char *subject; /* "Mount.image", "VersionResponse"; for a normalisation, its name */
    const char *why;
    const char *how;                  /* how it is carried, if `why` does not explain that; else NULL */
    const struct rule_text *rule;     /* NULL if it has no rule under `fields` */
    const struct method *methods[64]; /* the calls that it affects */
    size_t method_count;
};

/* Reports each difference once: rules in their order, then carries that have no rule, then normalisations. */
void explain(const struct explain_scope *scope, void (*tell)(void *state, const struct explained *explained), void *state);

/* A field that a runtime accepts but ignores. */
struct explained_ability {
    const struct ability *ability;    /* its class says whether such requests are refused, or pass and are counted */
    const char *subject;              /* "Mount.image_sub_path" */
    const char *source;               /* where that is known from, for this runtime */
    const struct method *methods[64]; /* in whose requests it matters */
    size_t method_count;
};

/* Reports what a runtime takes in requests of these calls and ignores, in the order of translate/runtimes.yaml. `set`: of a
   runtime of the scope's dialect; what it reports of itself is not looked at. Fields that the caller's dialect lacks are left
   out. */
void explain_ignored(const struct explain_scope *scope, const struct ability_set *set,
                     void (*tell)(void *state, const struct explained_ability *explained), void *state);

/* "refused" or "ignored": what happens to requests that ask for what is ignored. */
const char *explain_class(enum ability_class class);

/* The outcome of a call whose RPC the runtime's dialect lacks, in a few words: "composed, or UNIMPLEMENTED". */
const char *explain_lacking(const struct method *method);

/* "refused" and so on, one or two words. */
const char *verdict_name(enum verdict verdict);

/* The dialect of that name, or the one with which calls of the package of that name ("runtime.v1") are read; false if there is
   none. */
bool explain_dialect(const char *name, enum dialect *dialect);
