/* Which functions of this folder run on what goes through the model. Generated from rules.yaml. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "translate/bytes/error.h"
#include "translate/walk/table.h"

struct model;

/* See model.h. false refuses the request. */
typedef bool normalisation(struct model *model, struct error *error);

/* What runs on a configuration that comes from (up) or goes to (down) a dialect, in the order of rules.yaml; NULL at the end. */
extern normalisation *const *const normalisations_up[MODEL_KIND_COUNT][DIALECT_COUNT];
extern normalisation *const *const normalisations_down[MODEL_KIND_COUNT][DIALECT_COUNT];

/* Which fields of the model's message these look at, as bits 1 << field number. All others need not be decoded. */
extern const uint64_t normalisations_up_look_at[MODEL_KIND_COUNT][DIALECT_COUNT];
extern const uint64_t normalisations_down_look_at[MODEL_KIND_COUNT][DIALECT_COUNT];
