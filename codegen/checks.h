/* Compares rules.yaml with the dialects: differences without a rule, and rules without a difference. */
#pragma once

#include "codegen/differences.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

/* Reports every disagreement as a mistake. */
void checks_run(const struct schema *schema, const struct differences *differences, const struct rules *rules);
