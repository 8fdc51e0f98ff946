/* One pass over the bytes of a message, driven by a walk table: copies, maps names, drops, refuses, carries. It is the gatekeeper
   as well: what decoders disagree about is refused with the field's path before anything decodes it. */
#ifndef CRIGATE_TRANSLATE_WALK_WALK_H
#define CRIGATE_TRANSLATE_WALK_WALK_H

#include "translate/convert/convert.h"
#include "translate/walk/table.h"

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

/* Where in a request a message is, for the path in errors. */
struct walk_frame {
    const struct walk_frame *parent;
    const struct schema_field *field; /* of the parent's message; NULL at the top */
    const uint8_t *message;           /* start of the parent's message */
    const uint8_t *at;                /* start of this occurrence in it */
    const struct pieces *before;      /* at the top of a piece of a message: the pieces before it; else NULL */
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

/* Walks one message; `out` is `in` when nothing in it had to change, otherwise new bytes in the arena. `frame` says where it is,
   NULL, or without a field, at the top. INVALID_ARGUMENT in a request, INTERNAL in a response: not the message; the text says
   where. RESOURCE_EXHAUSTED: the arena's cap or the budget of elements. */
bool walk_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                  struct bytes *out, struct error *error);

/* Writes "config.mounts[2].image" for a frame, NUL-terminated and cut to `size`; "" at the top. */
void walk_path(const struct walk_frame *frame, char *text, size_t size);

#endif
