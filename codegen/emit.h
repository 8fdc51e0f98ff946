/* Writes what codegen knows as C: the files of the build folder that translate/ is compiled with. */
#ifndef CRIGATE_CODEGEN_EMIT_H
#define CRIGATE_CODEGEN_EMIT_H

#include <stdbool.h>
#include <stdio.h>

#include "codegen/methods.h"
#include "codegen/plan.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

struct emission {
    const struct schema *schema;
    const struct rules *rules;
    const struct methods *methods;
    const struct plan *plan;
};

/* Writes all files into a folder that exists. false after telling which could not be written. */
bool emit_all(const struct emission *emission, const char *folder);

/* One file each. */
void emit_dialects(const struct emission *emission, FILE *output);
void emit_schema_header(const struct emission *emission, FILE *output);
void emit_schema(const struct emission *emission, FILE *output);
void emit_methods(const struct emission *emission, FILE *output);
void emit_walk(const struct emission *emission, FILE *output);
void emit_texts(const struct emission *emission, FILE *output);
void emit_normalisation_tables(const struct emission *emission, FILE *output);
void emit_compositions(const struct emission *emission, FILE *output);
void emit_functions(const struct emission *emission, FILE *output);
void emit_rule_ids(const struct emission *emission, FILE *output);

/* "DIALECT_V1_9" */
const char *emit_dialect_constant(const struct dialect *dialect);

/* "MODEL_POD" */
const char *emit_model_constant(enum model_part part);

/* "schema_v1_9_PodSandboxConfig_LabelsEntry": the symbol of a message or enum, with a prefix such as "schema". */
const char *emit_symbol(const char *prefix, const struct dialect *dialect, const char *name);

/* "walk_v1_to_v1_9_Mount" */
const char *emit_walk_symbol(const struct emission *emission, size_t from, size_t to, const char *prefix, const char *name);

/* A text as a C string literal. */
const char *emit_literal(const char *text);

#endif
