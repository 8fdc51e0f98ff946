/* What one process knows for plugins, for the process that takes over: through memory that both have open, because environments
   must not be in a file. */
#pragma once

#include "core/hooks/hooks.h"

/* Another process is about to take over: all that is known of the runtimes is written in place of what was in the memory, and
   from now on what is noted is added. Both processes get calls for a while, so that this must not wait until one of them is
   alone. The descriptor is a memfd's, and borrowed. If it cannot be written, the other process gets less. */
void handover_give(struct hooks *hooks, const struct generation *generation, int memory);

/* Adds this pod or container as it is known now, if this process gives. To be called before the caller has its answer, because
   the next call may reach the other process. */
void handover_note(struct hooks *hooks, const struct runtime_map *map, const struct runtime *runtime, enum id_kind kind,
                   struct bytes id);

/* This process is about to serve: takes what is in the memory, and from now on what is added. The descriptor is borrowed. */
void handover_take(struct hooks *hooks, const struct generation *generation, int memory);

/* Takes what was added since the last time, if this process takes, and frees the memory of it: cheap. Hostile or damaged content
   is ignored. */
void handover_read(struct hooks *hooks, const struct generation *generation);

/* The memory is not used any more. */
void handover_end(struct hooks *hooks);
