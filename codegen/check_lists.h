/* Compares `names` and `privacy` of rules.yaml with the dialects: a field that looks like a name or a secret must be listed. */
#pragma once

#include "codegen/rules.h"
#include "codegen/schema_load.h"

/* Reports as mistakes: fields that look like names or secrets and are not listed, entries that are listed twice or match no
   field, names that are not strings. */
void check_lists(const struct schema *schema, const struct rules *rules);
