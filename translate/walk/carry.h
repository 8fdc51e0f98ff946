/* Carry functions translate fields whose meaning differs between dialects, and write them at the end of their message. rules.yaml
   lists under "carry" which function runs between which dialects. */
#pragma once

#include "translate/walk/table.h"

#define CARRY_VALUES 6

/* The last occurrence of a captured field. Names in it are mapped already. */
struct carry_value {
    bool present;
    uint64_t number;    /* of a varint field */
    struct bytes bytes; /* of a string, bytes or message field */
};

struct arena;
struct node;
struct report;
struct walk_output;

struct carry {
    struct carry_value values[CARRY_VALUES]; /* in the order in which the rule lists the fields */
    enum dialect from;
    enum dialect to;
    const struct node *node; /* may be NULL */
    struct arena *arena;
    struct report *report;
    struct walk_output *output;
};
