/* Holds methods.yaml against the RPCs of the dialects. */
#pragma once

#include "codegen/methods.h"
#include "codegen/rules.h"

/* Tells where table and dialects disagree: RPCs without a row, rows without an RPC, places that do not exist, a route or a merge
   that cannot be. `rules` tells which fields are names. */
void methods_check(const struct methods *methods, const struct schema *schema, const struct rules *rules);
