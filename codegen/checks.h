/* Holds rules.yaml against the dialects: what is different and has no rule, what has a rule and is not different. */
#pragma once

#include "codegen/differences.h"
#include "codegen/rules.h"
#include "codegen/schema_load.h"

/* Tells every disagreement as a mistake. */
void checks_run(const struct schema *schema, const struct differences *differences, const struct rules *rules);
