/* The content of translate/rules.yaml. The comments in that file explain its parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "codegen/document.h"
#include "codegen/entry.h"
#include "codegen/mistakes.h"
#include "codegen/schema_load.h"

enum rule_action {
    RULE_DROP,
    RULE_REJECT,
    RULE_JUDGED,
    RULE_CARRY,
    RULE_COPY,
    RULE_ABILITY, /* no difference between dialects: only translate/runtimes.yaml names the field */
    RULE_ACTION_COUNT,
};

/* The messages that go through the model, in the order of enum model_kind. */
enum model_part {
    PART_POD,
    PART_CONTAINER,
    PART_RESOURCES,
    PART_COUNT,
};

struct field_rule {
    const char *key; /* "Mount.image", "Protocol.SCTP" */
    const char *why;
    enum rule_action action;
    bool in[DIALECTS_MAX];
    bool refuses; /* a request may be refused because of it */
    bool tuning;  /* translate/runtimes.yaml has an entry of that class for it */
    struct place place;
};

struct carry_rule {
    const char *with; /* carry_WITH_up and carry_WITH_down, or carry_WITH */
    const char *message;
    bool always;
    bool in[DIALECTS_MAX];
    struct texts fields; /* under the model's names */
    const char *why;
    struct place place;
};

struct normalise_rule {
    const char *with; /* normalise_WITH */
    bool up[DIALECTS_MAX];
    bool down[DIALECTS_MAX];
    bool listed;               /* dialects are listed, not selected by what they have and lack */
    bool within[DIALECTS_MAX]; /* it also runs if both sides speak that one */
    bool on[PART_COUNT];
    struct texts looks_at; /* fields of the configurations, under the model's names */
    struct texts refuses;  /* keys of `fields` because of which it refuses requests */
    const char *why;
    struct place place;
};

/* An entry of `names` or `privacy`. */
struct listed_field {
    const char *key;
    const char *constant; /* "NAME_POD", "PRIVACY_SECRET" */
    struct place place;
};

struct listed_fields {
    size_t count;
    struct listed_field *fields;
};

struct rules {
    const char *file;
    size_t difference_count; /* of `fields`, those of the file; the others follow them, with RULE_ABILITY */
    size_t field_count;
    struct field_rule *fields;
    size_t carry_count;
    struct carry_rule *carries;
    size_t normalise_count;
    struct normalise_rule *normalisations;
    struct listed_fields names;
    struct listed_fields privacy;
};

/* Reads the rules and reports what is wrong with their form as mistakes. The document keeps the texts. */
void rules_read(struct document *document, const struct schema *schema, struct rules *rules);

/* The rule of `fields` under that key, or NULL. */
const struct field_rule *rules_field(const struct rules *rules, const char *key);

/* "drop" and so on, as in the file. */
const char *rule_action_name(enum rule_action action);

/* "PodSandboxConfig" and so on. */
const char *model_part_message(enum model_part part);

/* The constant under which a field is listed, or `otherwise`. */
const char *listed_constant(const struct listed_fields *listed, const char *message, const char *field, const char *otherwise);
