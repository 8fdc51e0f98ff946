/* What the walk does with each field of each message between each pair of dialects: decided here, written by emit_walk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/rules.h"
#include "codegen/schema_load.h"

/* The kinds of names, as the generated tables spell them. */
#define PLAN_NAME_KINDS 5
extern const char *const plan_name_kinds[PLAN_NAME_KINDS];

/* Field numbers below this have a tag of one byte. */
#define PLAN_PLAIN_NUMBERS 16

struct plan_value {
    const struct enum_value *value;
    const char *action; /* constant of enum walk_action */
    size_t rule;        /* index into rules.fields */
};

/* The values of an enum of `from` that `to` lacks. */
struct plan_enum {
    size_t value_count;
    struct plan_value *values;
};

struct plan_step {
    const char *action; /* constant of enum walk_action: "WALK_COPY" */
    const char *model;  /* constant of enum model_kind, or NULL */
    size_t slot;        /* of WALK_CAPTURE */
    size_t rule;        /* of WALK_DROP, WALK_REJECT, WALK_JUDGED: index into rules.fields */
    const struct plan_table *into;
    const struct enumeration *values_of; /* the enum, if the other side lacks some of its values, or NULL */
};

struct plan_table {
    const struct message *source;
    struct plan_step *steps;               /* parallel to source->fields */
    const char *plain[PLAN_PLAIN_NUMBERS]; /* constants of enum walk_plain by field number; NULL: WALK_PLAIN_NOT */
    const char *carry_function;            /* or NULL */
    bool in_place;
    bool same_package;
    bool changes;
    unsigned names; /* bits by place in plan_name_kinds */
};

struct plan {
    const struct schema *schema;
    const struct rules *rules;
    /* [from][to], parallel to the messages and enums of `from`. A table is NULL where `to` lacks the message. */
    struct plan_table **tables[DIALECTS_MAX][DIALECTS_MAX];
    struct plan_enum *enums[DIALECTS_MAX][DIALECTS_MAX];
};

/* Decides all of it; reports differences without a rule as mistakes. */
void plan_make(struct plan *plan, const struct schema *schema, const struct rules *rules);

/* Constants of enum model_kind. */
extern const char *const plan_model_constants[PART_COUNT];

/* The values of an enum of `from` that another dialect lacks. */
struct plan_enum *plan_enum_of(const struct plan *plan, size_t from, size_t to, const struct enumeration *enumeration);

/* The table of a message between two dialects, or NULL. */
const struct plan_table *plan_table(const struct plan *plan, size_t from, size_t to, const char *message);
