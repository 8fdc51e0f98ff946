/* Going on from what a former process saw of the runtimes: after a start, and while one process takes over from another. Each
   function runs on the worker's thread. */
#pragma once

#include "core/memory/knowledge.h"

/* Reads the file of a runtime. A file that cannot be read or believed is logged, and the runtime's lists are in doubt. */
void knowledge_load(struct knowledge *knowledge, const struct runtime_map *map, struct runtime *runtime);

/* The process that served the socket before has handed it over: ends `standby`. */
void knowledge_take_part(struct knowledge *knowledge);

/* That process makes nothing on the runtimes any more, or has ended: ends `predecessor_active`. */
void knowledge_predecessor_drained(struct knowledge *knowledge);

/* A runtime became ready, so it no longer counts as never seen: there is a file from now on, and an empty one until a list has
   come. When its lists are not kept it stays empty, since one of the time when they were would lack what is made from now on.
   While another process may be making things there, its lists are in doubt. */
void knowledge_met(struct knowledge *knowledge, struct runtime *runtime);
