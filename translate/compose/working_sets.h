/* The working set of containers without page cache. */
#pragma once

#include "translate/compose/compose.h"

/* Statistics of containers, a ListContainerStatsResponse of the model, as the caller gets them from a runtime with that row of
   methods.yaml: for one that counts page cache, with working sets from the kernel. `corrected` may be `list` itself. false with
   an error: the list cannot be read. */
bool working_sets_correct(struct composing *composing, struct bytes list, struct bytes *corrected, struct error *error);
