/* The state of the walk for one message. */
#pragma once

#include "translate/bytes/output.h"
#include "translate/walk/context.h"
#include "translate/walk/path.h"

/* The limit of fields in one request: far above real requests, and far below what would exhaust a decoder's memory. */
#define ELEMENT_BUDGET 262144

/* Bytes are copied in runs, and as late as possible: as long as nothing changes in a message or below, it is a part of its
   parent's run. Only a change opens it: the bytes before it are copied, and its tag and length are written again. A message
   without a change is never opened; if that is the whole message, nothing is copied at all. */
struct walk_level {
    struct walk *walk;
    struct walk_level *outer; /* the message that contains it; NULL at the top */
    const struct walk_table *table;
    const struct walk_frame *frame; /* its path; NULL, or without a field, at the top of a request or response */
    struct bytes in;
    struct walk_output *output;
    struct error *error;
    struct carry *carry; /* NULL if nothing is captured */
    uint64_t seen;       /* singular messages that occurred, by position in the schema */
    bool opened;
    /* Once it is opened: */
    const uint8_t *run; /* the start of the input that is still to be copied unchanged */
    size_t before;      /* length of the output before its tag */
    size_t payload;     /* place of its payload in the output */
};
