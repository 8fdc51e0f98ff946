/* The context of one walk: its two sides, the interfaces that it uses, and what it counts. */
#pragma once

#include "translate/walk/table.h"

struct arena;
struct leniency;
struct names;
struct node;
struct report;
struct walk_frame;

/* How to treat fields that the source dialect does not know. */
enum walk_unknown {
    WALK_UNKNOWN_BY_PACKAGE, /* they pass within one package; between packages they are dropped and counted */
    WALK_UNKNOWN_KEEP,
    WALK_UNKNOWN_DROP,
    /* On the way through the model between two sides of one package, their numbers could have a meaning in the model: they are
       moved to other numbers, and back. */
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
    bool request;     /* check everything, and refuse what cannot be carried; in a response it is only left out */
    bool judged;      /* the model has judged this message's content */
    bool checks_text; /* a response in which strings must be UTF-8 */
    enum walk_unknown unknown;
    const struct names *names;       /* may be NULL */
    const struct node *node;         /* may be NULL */
    const struct leniency *leniency; /* may be NULL */
    struct arena *arena;
    struct report *report;
    walk_model *model;
    void *model_state;
    uint32_t elements; /* checked so far, against a limit */
    uint8_t passes;    /* set by walk_message: bits 1 << WALK_PLAIN_… of what passes unchanged in this walk */
};
