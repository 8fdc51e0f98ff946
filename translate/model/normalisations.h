/* Which functions of this folder run on each configuration. Generated from rules.yaml. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/error.h"
#include "translate/walk/table.h"

struct model;

/* See model.h. false refuses the request. */
typedef bool normalisation(struct model *model, struct error *error);

/* The functions for a configuration that comes from (up) or goes to (down) a dialect, in the order of rules.yaml; NULL at the
   end. Those for one that comes from and goes to the same dialect are `within` alone. */
extern normalisation *const *const normalisations_up[MODEL_KIND_COUNT][DIALECT_COUNT];
extern normalisation *const *const normalisations_within[MODEL_KIND_COUNT][DIALECT_COUNT];
extern normalisation *const *const normalisations_down[MODEL_KIND_COUNT][DIALECT_COUNT];

/* The fields of the model's message that these functions read or write, as bits 1 << field number. Only these need to be decoded.
 */
extern const uint64_t normalisations_up_look_at[MODEL_KIND_COUNT][DIALECT_COUNT];
extern const uint64_t normalisations_within_look_at[MODEL_KIND_COUNT][DIALECT_COUNT];
extern const uint64_t normalisations_down_look_at[MODEL_KIND_COUNT][DIALECT_COUNT];
