/* What a runtime says of itself in its verbose status. */
#pragma once

#include <stdbool.h>

#include "translate/compose/compose.h"

/* What the verbose status of the runtime says, in composing->memory: asked for when it is not known, or is old. `known` says
   whether it is there now, otherwise the question is on its way. */
bool composing_status(struct composing *composing, bool *known, struct error *error);
