/* The content of translate/runtimes.yaml. The comment at its beginning explains the words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/document.h"
#include "codegen/entry.h"
#include "codegen/methods.h"
#include "codegen/mistakes.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

struct ability_runtime_row {
    const char *name;
    struct texts reports;
    struct texts packages;
    bool unversioned;
    bool speaks[DIALECTS_MAX];
    bool used; /* by an entry */
    struct place place;
};

/* From the first version up to, but not including, the second. */
struct ability_range {
    uint32_t from[3];
    uint32_t before[3];
};

struct ability_ignored_row {
    const char *runtime;
    size_t runtime_index;
    struct texts versions;
    size_t range_count;
    struct ability_range *ranges;
    const char *source;
    struct place place;
};

struct ability_row {
    const char *key; /* "Mount.image" */
    struct texts in;
    const char *class; /* "confinement", "tuning" */
    const char *asks;  /* asks_ASKS, or NULL */
    const char *why;
    const char *reported; /* "RuntimeFeatures.supplemental_groups_policy", or NULL */
    struct place reported_place;
    size_t ignored_count;
    struct ability_ignored_row *ignored_by;
    struct place place;
};

struct abilities {
    const char *file;
    struct texts only_inform; /* "LinuxPodSandboxConfig.overhead": nothing below these fields is judged */
    size_t runtime_count;
    struct ability_runtime_row *runtimes;
    size_t count;
    struct ability_row *rows;
};

/* Reads the file and reports what is wrong with its form as mistakes. The document keeps the texts. */
void abilities_read(struct document *document, struct abilities *abilities);

/* Reports where the file disagrees with the schemas and the RPCs, and completes it: the dialects of runtimes, ranges of versions.
   Then gives each field that has no rule one behind the others, with RULE_ABILITY, so call it when the rules are checked. */
void abilities_check(struct abilities *abilities, const struct schema *schema, const struct methods *methods,
                     struct rules *rules);

/* Where a field is looked for. */
struct ability_scope {
    const struct abilities *abilities;
    const struct schema *schema;
    size_t dialect;
};

/* Whether the message has the field of the entry, or a message below it has, other than by a field that is only informational. */
bool ability_is_in(const struct ability_scope *scope, const struct ability_row *row, const struct message *message);

/* Whether it is in the message of that field. */
bool ability_is_below(const struct ability_scope *scope, const struct ability_row *row, const struct field *field);

/* Whether the entry is about requests of that RPC, in any dialect. */
bool ability_is_about(const struct abilities *abilities, const struct schema *schema, const struct ability_row *row,
                      const struct method_row *method);
