/* The files that codegen writes, one function each. */
#pragma once

#include <stdio.h>

#include "codegen/emit_names.h"

void emit_dialects(const struct emission *emission, FILE *output);
void emit_schema_header(const struct emission *emission, FILE *output);
void emit_schema(const struct emission *emission, FILE *output);
void emit_methods(const struct emission *emission, FILE *output);
void emit_walk(const struct emission *emission, FILE *output);
void emit_texts(const struct emission *emission, FILE *output);
void emit_normalisation_tables(const struct emission *emission, FILE *output);
void emit_compositions(const struct emission *emission, FILE *output);
void emit_hooks(const struct emission *emission, FILE *output);
void emit_abilities(const struct emission *emission, FILE *output);
void emit_functions(const struct emission *emission, FILE *output);
void emit_rule_ids(const struct emission *emission, FILE *output);
