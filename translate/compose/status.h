/* What a runtime reports in its verbose status. */
#pragma once

#include <stdbool.h>

#include "translate/compose/compose.h"

/* Brings the content of the runtime's verbose status into composing->memory: requests it if it is missing or old. `known`:
   whether it is there now; otherwise the question is on its way. */
bool composing_status(struct composing *composing, bool *known, struct error *error);

/* The cgroup driver of pods without a handler, by the JSON under `config` of a runtime's verbose status. Anything unexpected
   counts as missing. */
enum cgroup_driver status_cgroup_driver(struct bytes config);
