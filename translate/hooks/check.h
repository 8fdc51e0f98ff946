/* One pass over a message by the tables of hooks: whether it is well-formed, and what of it plugins see. */
#pragma once

#include "base/bytes/error.h"
#include "translate/bytes/output.h"
#include "translate/hooks/table.h"

/* Writes what plugins see of a message; `output` may be NULL. false: INVALID_ARGUMENT with the field's path if it is malformed, a
   field has another type, or a message occurs twice that may occur once (readers would disagree); RESOURCE_EXHAUSTED. */
bool hook_show(const struct hook_message *message, struct bytes in, struct walk_output *output, struct error *error);
