/* One message on its way through the walk. */
#pragma once

#include "translate/bytes/output.h"
#include "translate/walk/context.h"
#include "translate/walk/path.h"

/* Fields gated in one request: far above any real one, far below what makes a decoder's memory hurt. */
#define ELEMENT_BUDGET 262144

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
