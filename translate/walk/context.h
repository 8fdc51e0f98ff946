/* What one walk works with: its two sides, what it asks on its way, and what it counts. */
#pragma once

#include "translate/walk/table.h"

struct arena;
struct leniency;
struct names;
struct node;
struct report;
struct walk_frame;

/* What becomes of fields that the source dialect does not know. */
enum walk_unknown {
    WALK_UNKNOWN_BY_PACKAGE, /* they survive inside one package and are taken out (and counted) across */
    WALK_UNKNOWN_KEEP,
    WALK_UNKNOWN_DROP,
    /* On the way through the model between two sides of one package, their numbers could mean something in the model: they are
       moved out of its way, and back. */
    WALK_UNKNOWN_ESCAPE,
    WALK_UNKNOWN_UNESCAPE,
};

/* Carries a configuration through the model; see convert/convert.c. */
struct walk;
typedef bool walk_model(struct walk *walk, enum model_kind kind, struct bytes in, const struct walk_frame *frame,
                        struct bytes *out, struct error *error);

struct walk {
    enum dialect from;
    enum dialect to;
    bool request;     /* gate everything and refuse what cannot be carried; a response only has it left out */
    bool judged;      /* the model has judged what is in here */
    bool checks_text; /* a response in which strings must be UTF-8 */
    enum walk_unknown unknown;
    const struct names *names;       /* may be NULL */
    const struct node *node;         /* may be NULL */
    const struct leniency *leniency; /* may be NULL */
    struct arena *arena;
    struct report *report;
    walk_model *model;
    void *model_state;
    uint32_t elements; /* gated so far, against a budget */
    uint8_t passes;    /* set by walk_message: bits 1 << WALK_PLAIN_… of what passes as it is in this walk */
};
