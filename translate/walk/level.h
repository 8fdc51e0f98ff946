/* One message on its way through the walk: what walk.c and the gate share. */
#ifndef CRIGATE_TRANSLATE_WALK_LEVEL_H
#define CRIGATE_TRANSLATE_WALK_LEVEL_H

#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"
#include "translate/walk/walk.h"

/* Fields gated in one request: far above any real one, far below what makes a decoder's memory hurt. */
#define ELEMENT_BUDGET 262144

#define WALK_PATH_SIZE 256

/* Bytes are copied in runs, and as late as can be: until something changes in a message or below, it is a part of its parent's
   run. Only then it is opened: what comes before it is copied, and its tag and length are written anew. A message in which
   nothing changes is never opened, and where that is the whole one, nothing is copied at all. */
struct walk_level {
    struct walk *walk;
    struct walk_level *outer; /* the message that holds it; NULL at the top */
    const struct walk_table *table;
    const struct walk_frame *frame; /* where it is; NULL, or without a field, at the top of a request or response */
    struct bytes in;
    struct walk_output *output;
    struct error *error;
    struct carry *carry; /* NULL when nothing is captured */
    uint64_t seen;       /* singular messages that occurred, by position in the schema */
    bool opened;
    /* Once it is opened: */
    const uint8_t *run; /* from here on, input is still to be copied as it is */
    size_t before;      /* length of the output before its tag */
    size_t payload;     /* place of its payload in the output */
};

/* Refuses what decoders read differently: another wire type, a singular message twice, a NUL in a string; too many elements;
   and, where it is looked for, text that is none, with ABORTED. */
bool walk_gate(struct walk_level *level, const struct schema_field *known, const struct wire_field *field);

/* Whether the message is in an item of a list that a response consists of, which can be taken out alone. */
bool walk_is_in_item(const struct walk_level *level);

/* Fails at a field of the message; `known` may be NULL for the message itself. Answers false. */
bool walk_fail(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, enum status_code code,
               const char *what, const char *why);

/* A field that the other side lacks, by that rule. True when the operator lets it through, and it is to be left out, which is
   counted then; otherwise the request is refused. */
bool walk_refuse(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule);

/* Counts a field that is left out by that rule, and tells where it was if anybody wants to know. */
void walk_drop(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule);

/* Fails for what is no message of that kind: the caller's mistake in a request, the runtime's in a response. Answers false. */
bool walk_malformed(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, const char *what);

#endif
