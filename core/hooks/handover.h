/* What one process knows for plugins, for the process that takes over: through memory that both have open, because environments
   must not be in a file. */
#pragma once

#include "core/hooks/hooks.h"

/* Writes all that is known of the runtimes, in place of what was written before. The descriptor is a memfd's. false: it could not
   be written, and the other process gets less. */
bool handover_write(const struct hooks *hooks, const struct generation *generation, int memory);

/* Adds what is not known here. Hostile or damaged content is ignored. */
void handover_read(struct hooks *hooks, const struct generation *generation, int memory);
