/* Explains how calls are translated between two dialects, from the tables that conversions use: for docs/translation.md and
   `crigate explain`. Everything that is not listed passes unchanged. */
#pragma once

#include <stddef.h>

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

/* The outcome of a call whose RPC the runtime's dialect lacks, in a few words: "composed, or UNIMPLEMENTED". */
const char *explain_lacking(const struct method *method);

/* "refused" and so on, one or two words. */
const char *verdict_name(enum verdict verdict);

/* The dialect of that name, or the one with which calls of the package of that name ("runtime.v1") are read; false if there is
   none. */
bool explain_dialect(const char *name, enum dialect *dialect);
