/* Selects the dialects of an entry of rules.yaml by what they have and lack, so that a new dialect is included without being
   listed. */
#pragma once

#include <stdbool.h>

#include "codegen/document.h"
#include "codegen/schema_load.h"

/* Reads a mapping such as {have: Mount.image, package: runtime.v1alpha2} and flags the dialects for which all of it is true:
   have     has that field, or that value of an enum, under that name
   lack     lacks it, or has it in a different form than the model
   package  is of that package
   What is wrong with it is reported as a mistake. */
void selection_read(struct document *document, yaml_node_t *node, const char *what, const struct schema *schema,
                    bool flags[DIALECTS_MAX]);
