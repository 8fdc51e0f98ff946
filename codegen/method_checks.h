/* Compares methods.yaml with the RPCs of the dialects. */
#pragma once

#include "codegen/methods.h"
#include "codegen/rules.h"

/* Reports where the table and the dialects disagree: RPCs without a row, rows without an RPC, places that do not exist, a route
   or a merge that is impossible. `rules` has the fields that are names. */
void methods_check(const struct methods *methods, const struct schema *schema, const struct rules *rules);
