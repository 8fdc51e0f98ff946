/* What was last seen of runtimes, in the state folder: when it is written, read, and not to be believed. What others may ask of
   it is in gateway.h; this is between the gateway's own files. Worker's thread. */
#ifndef CRIGATE_MEMORY_SAVE_H
#define CRIGATE_MEMORY_SAVE_H

#include "core/gateway/gateway.h"

/* For the timer `save`. */
void gateway_on_save(struct completion *completion, bool ok);

/* A runtime goes on from what a former process saw of it. */
void gateway_load(struct gateway *gateway, const struct runtime_map *map, struct runtime *runtime);

/* The file must not be believed until it is written again. */
void gateway_doubt_file(struct gateway *gateway, struct runtime *runtime);

/* A runtime is in the map no more: its file goes, so that nobody believes it when the name comes back. */
void gateway_forget_file(struct gateway *gateway, const struct runtime *runtime);

/* A runtime became ready, so that it cannot be said any more that it was never seen: there is a file from now on, and an empty
   one until a list has come. When its lists are not kept it stays empty, since one of the time when they were would lack what is
   made from now on. While another process may be making things there, its lists are in doubt. */
void gateway_met(struct gateway *gateway, struct runtime *runtime);

#endif
