/* The texts of rules.yaml and methods.yaml for people, as tables: for docs/translation.md and `crigate explain`. Generated.
   Dialects are sets of bits, 1 << DIALECT_…. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "generated/dialects.h"
#include "generated/rule_ids.h"

/* One row of rules.yaml, or a field that only runtimes.yaml names, for people. */
struct translation_rule {
    const char *field; /* "Mount.recursive_read_only" */
    const char *why;
    bool refuses; /* a request may be refused because of it */
    bool tuning;  /* a known runtime ignores it, and requests pass anyway: the runtime map may make it strict */
};

/* By enum translation_rule_id. */
extern const struct translation_rule translation_rules[TRANSLATION_RULE_COUNT];

/* The actions of rules.yaml. */
enum rule_action {
    RULE_DROP,
    RULE_REJECT,
    RULE_JUDGED,
    RULE_CARRY,
    RULE_COPY,
    RULE_ABILITY, /* no difference between dialects: only runtimes.yaml names the field */
    RULE_ACTION_COUNT,
};

/* A rule under `fields`: a difference between dialects. Its name and reason are in translation_rules, under the same index. */
struct rule_text {
    enum rule_action action;
    unsigned differs;  /* dialects that lack it, or have a different form of it than the model */
    unsigned has;      /* dialects that have it in any form */
    const char *type;  /* in the newest dialect that has it: "repeated Mount"; of a value of an enum, its number */
    const char *older; /* "bool host_network": its form in a dialect that has a different one; NULL if it is only absent */
};

extern const struct rule_text rule_texts[];

/* An entry under `carry`: the function of a message. */
struct carry_text {
    const char *name;
    const char *message;
    unsigned in; /* it runs between these dialects and the others; 0: between all, also between equal ones */
    uint16_t field_count;
    const char *const *fields;
    const char *why;
};

extern const struct carry_text carry_texts[];
extern const uint16_t carry_text_count;

/* An entry under `normalise`. */
struct normalise_text {
    const char *name;
    unsigned up;   /* runs on configurations from these */
    unsigned down; /* and on those that go to these */
    unsigned on;   /* bits 1 << MODEL_… */
    const char *why;
};

extern const struct normalise_text normalise_texts[];
extern const uint16_t normalise_text_count;

/* The outcome, for people, of a call whose RPC the runtime's dialect lacks: parallel to `methods`; NULL if all dialects have the
   RPC. */
extern const char *const method_without[];
