/* What one process knows for plugins, for the process that takes over: through memory that both have open, because environments
   must not be in a file. */
#pragma once

#include "core/hooks/hooks.h"

/* Writes all that is known of the runtimes, in place of what was written before. The descriptor is a memfd's. false: it could not
   be written, and the other process gets less. */
bool handover_write(struct hooks *hooks, const struct generation *generation, int memory);

/* The other process serves now: all that is known is added to the memory, as some of it is new, and from now on what is noted.
   The descriptor is borrowed. */
void handover_give(struct hooks *hooks, const struct generation *generation, int memory);

/* Adds this pod or container as it is known now, if this process gives. To be called before the caller has its answer, because
   the next call may reach the other process. */
void handover_note(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime, enum id_kind kind,
                   struct bytes id);

/* This process serves now: takes what is in the memory, and from now on what is added. The descriptor is borrowed. */
void handover_take(struct hooks *hooks, const struct generation *generation, int memory);

/* Takes what was added since the last time, if this process takes, and frees the memory of it: cheap. Hostile or damaged content
   is ignored. */
void handover_read(struct hooks *hooks, const struct generation *generation);

/* The memory is not used any more. */
void handover_end(struct hooks *hooks);
