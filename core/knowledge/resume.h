/* Resumes from what a previous process knew about the runtimes: after a start, and while one process takes over from another.
   Each function runs on the worker's thread. */
#pragma once

#include "core/knowledge/knowledge.h"

/* Reads the file of a runtime. A file that cannot be read or trusted is logged, and the runtime's lists are in doubt. */
void knowledge_load(struct knowledge *knowledge, const struct runtime_map *map, struct runtime *runtime);

/* Call this when the previous process has passed the socket: ends `standby`. */
void knowledge_take_part(struct knowledge *knowledge);

/* Call this when that process creates nothing more on the runtimes, or has ended: ends `predecessor_active`. */
void knowledge_predecessor_drained(struct knowledge *knowledge);

/* Call this when a runtime has become ready, so that it no longer counts as never seen: from now on there is a file, which is
   empty until a list has arrived. If the runtime's lists are not kept, the file stays empty, because an older one would lack what
   is created from now on. While another process may be creating things there, the runtime's lists are in doubt. */
void knowledge_met(struct knowledge *knowledge, struct runtime *runtime);
