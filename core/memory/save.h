/* What was last seen of runtimes, in files of the state folder: when they are written, and when they must not be believed. Each
   function runs on the worker's thread. A file that cannot be written is logged once, until it can be again. */
#pragma once

#include <stdbool.h>

#include "core/memory/knowledge.h"
#include "core/store/state_file.h"

/* What was last seen changed: it is written soon. */
void knowledge_save_soon(struct knowledge *knowledge);

/* Writes now what is newer than its file. What cannot be written is tried again some seconds later. */
void knowledge_save(struct knowledge *knowledge);

/* Another process is about to take over: writes what it may believe of runtimes that it cannot ask, and empties the files of
   those on which this process may yet make something. If the takeover fails, all is written again some seconds later. */
void knowledge_lend(struct knowledge *knowledge);

/* Something is about to be made on a runtime, and that has ended: in between a file that lacks it must not be believed. */
void knowledge_making(struct knowledge *knowledge, struct runtime *runtime);
void knowledge_made(struct knowledge *knowledge, struct runtime *runtime);

/* Empties the file of a runtime: it must not be believed until it is written again. */
void knowledge_doubt_file(struct knowledge *knowledge, struct runtime *runtime);

/* Removes the file of a runtime that is no longer in the map, so that nobody believes it when the name comes back. */
void knowledge_forget_file(struct knowledge *knowledge, const struct runtime *runtime);

/* false: another process writes the files, until now or from now on, or is about to. */
bool knowledge_may_write(const struct knowledge *knowledge);

/* Where the file of a runtime is. The strings are the map's. */
struct state_file knowledge_file(const struct runtime_map *map, const struct runtime_entry *entry);

/* Whether the map wants a runtime's lists kept. */
bool knowledge_keeps_lists(const struct runtime *runtime);

/* Whether the runtime may hold something that is not known. Its file stays empty then, until a full list has come. */
bool knowledge_may_lack_something(const struct runtime *runtime);
