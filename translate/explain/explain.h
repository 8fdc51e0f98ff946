/* What becomes of calls between two dialects, told from the tables that conversions work by: for docs/translation.md and `crigate
   explain`. What is not told here passes as it is. */
#pragma once

#include <stddef.h>

#include "translate/schema/method.h"
#include "translate/walk/text_table.h"

enum verdict {
    VERDICT_REFUSED,    /* the request is, when it says something there */
    VERDICT_JUDGED,     /* a normalisation decides: carried by other means, harmless, or refused */
    VERDICT_CARRIED,    /* said otherwise, meaning the same */
    VERDICT_NORMALISED, /* a configuration keeps its meaning by a normalisation */
    VERDICT_DROPPED,    /* left out and counted */
    VERDICT_SAME,       /* the schemas differ, the bytes do not */
    VERDICT_COUNT,
};

enum way {
    WAY_REQUEST, /* from the caller to the runtime */
    WAY_ANSWER,  /* from the runtime to the caller */
};

/* Which calls: the dialects of both sides, and which of the two messages. */
struct explain_scope {
    enum dialect caller;
    enum dialect runtime;
    enum way way;
    const struct method *method; /* NULL: all that both dialects have */
};

/* One difference that these calls meet. */
struct explained {
    enum verdict verdict;
    const char *subject; /* "Mount.image", "VersionResponse"; of a normalisation, its name */
    const char *why;
    const char *how;                  /* of what is carried: by which means, where `why` does not say it; else NULL */
    const struct rule_text *rule;     /* NULL where no rule under `fields` stands behind it */
    const struct method *methods[64]; /* the calls that meet it */
    size_t method_count;
};

/* Tells each of them once: rules in their order, then carries that have no rule, then normalisations. */
void explain(const struct explain_scope *scope, void (*tell)(void *state, const struct explained *explained), void *state);

/* What becomes of a call whose RPC the runtime's dialect lacks, in a few words: "composed, or UNIMPLEMENTED". */
const char *explain_lacking(const struct method *method);

/* "refused" and so on, one or two words. */
const char *verdict_name(enum verdict verdict);

/* The dialect of that name, or that reads calls in the package of that name ("runtime.v1"); false when there is none. */
bool explain_dialect(const char *name, enum dialect *dialect);
