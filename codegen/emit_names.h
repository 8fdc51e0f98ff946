/* Writes the names of constants, of tables and of texts. */
#pragma once

#include "codegen/abilities.h"
#include "codegen/hooks.h"
#include "codegen/methods.h"
#include "codegen/plan.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

struct emission {
    const struct schema *schema;
    const struct rules *rules;
    const struct methods *methods;
    const struct hooks *hooks;
    const struct abilities *abilities;
    const struct plan *plan;
};

/* "DIALECT_V1_9" */
const char *emit_dialect_constant(const struct dialect *dialect);

/* "schema_v1_9_PodSandboxConfig_LabelsEntry": the symbol of a message or enum, with a prefix such as "schema". */
const char *emit_symbol(const char *prefix, const struct dialect *dialect, const char *name);

/* "walk_v1_to_v1_9_Mount" */
const char *emit_walk_symbol(const struct emission *emission, size_t from, size_t to, const char *prefix, const char *name);

/* A text as a C string literal. */
const char *emit_literal(const char *text);
