/* Saves what was last seen of runtimes in files of the state folder: decides when they are written, and when they must not be
   trusted. Each function runs on the worker's thread. A file that cannot be written is logged once, until it can be written
   again.
   */
#pragma once

#include <stdbool.h>

#include "core/knowledge/knowledge.h"
#include "core/store/state_file.h"

/* Call this when what was last seen has changed: it is written soon. */
void knowledge_save_soon(struct knowledge *knowledge);

/* Writes now everything that is newer than its file. What cannot be written is tried again a few seconds later. */
void knowledge_save(struct knowledge *knowledge);

/* Call this when another process is about to take over: writes what that process may trust about runtimes that it cannot ask, and
   empties the files of runtimes on which this process may still create something. If the takeover fails, everything is written
   again a few seconds later. */
void knowledge_lend(struct knowledge *knowledge);

/* That process does not take over: the files are this one's again. */
void knowledge_take_back(struct knowledge *knowledge);

/* Call these when something is about to be created on a runtime, and when that has ended: in between, a file that lacks it must
   not be trusted. */
void knowledge_making(struct knowledge *knowledge, struct runtime *runtime);
void knowledge_made(struct knowledge *knowledge, struct runtime *runtime);

/* Empties the file of a runtime: it must not be trusted until it is written again. */
void knowledge_doubt_file(struct knowledge *knowledge, struct runtime *runtime);

/* Removes the files of a runtime that is no longer in the map, or is a different one now, so that they are not trusted when the
   name is used again. */
void knowledge_forget_file(struct knowledge *knowledge, const struct runtime *runtime);

/* false: another process writes the files, until now or from now on, or is about to. */
bool knowledge_may_write(const struct knowledge *knowledge);

/* The place of a runtime's file. The strings are the map's. */
struct state_file knowledge_file(const struct runtime_map *map, const struct runtime *runtime);

/* Whether the map wants a runtime's lists to be kept. */
bool knowledge_keeps_lists(const struct runtime *runtime);

/* Whether the runtime may hold something unknown. Its file then stays empty until a full list has arrived. */
bool knowledge_may_lack_something(const struct runtime *runtime);
