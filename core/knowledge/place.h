/* Where the runtimes of `endpoint: docker` are. What is remembered of such a runtime is about one socket; when `docker` leads to
   a different socket, that is a different runtime. Each function runs on the worker's thread, and does nothing for other runtimes
   unless said. */
#pragma once

#include "core/knowledge/knowledge.h"

/* Finds out in the state folder where a runtime was, before anything else is read of it: so it continues there. Its lists say so,
   too, if its place cannot be read; if neither can, it connects nowhere. For a runtime with
   another endpoint, what the folder has of the name is out of date, and removed. */
void place_recall(const struct knowledge *knowledge, const struct runtime_map *map, struct runtime *runtime);

/* Whether the runtime may be at that place from now on. false: FAILED_PRECONDITION, because it holds pods where it was, or may
   hold some, and what to do about it. If true, the new place is written, and what the index and the lists have of the old one is
   forgotten. */
bool place_may_move(struct knowledge *knowledge, struct runtime *runtime, const struct docker_candidate *to, struct error *error);

/* Writes whether the runtime may hold pods, if that has changed. */
void place_note(struct knowledge *knowledge, struct runtime *runtime);

/* Something is about to be created there: writes that it may hold pods. And that has ended; `unclear`: perhaps it was created. */
void place_making(struct knowledge *knowledge, struct runtime *runtime);
void place_made(struct knowledge *knowledge, struct runtime *runtime, bool unclear);

/* A whole list of its pods, asked for after it became ready, has arrived, and is learned: no others are there. */
void place_listed(struct knowledge *knowledge, struct runtime *runtime);

/* How many pods a runtime is known to hold, of whatever endpoint. */
size_t place_pods(const struct knowledge *knowledge, struct runtime *runtime);
