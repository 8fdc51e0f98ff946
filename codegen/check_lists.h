/* Holds `names` and `privacy` of rules.yaml against the dialects: what looks like a name or a secret must be listed. */
#pragma once

#include "codegen/rules.h"
#include "codegen/schema_load.h"

/* Tells as mistakes: fields that look like names or secrets and are not listed, entries that are listed twice or name no field,
   names that are no strings. */
void check_lists(const struct schema *schema, const struct rules *rules);
