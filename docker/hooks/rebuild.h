/* All pods and containers of Kubernetes' that Docker has, asked for one after another: when plugins come, and then from time to
   time, so that what was removed without us is forgotten. While Docker is unavailable, it is asked again and again. */
#pragma once

#include "docker/hooks/state.h"

/* NULL: out of memory, or no thread. */
struct docker_rebuild *docker_rebuild_new(struct docker_hooks *hooks);

/* NULL is allowed. */
void docker_rebuild_free(struct docker_rebuild *rebuild);

/* Begins now, unless it is under way. */
void docker_rebuild_start(struct docker_rebuild *rebuild);

/* Ends it; it begins again only by docker_rebuild_start. */
void docker_rebuild_stop(struct docker_rebuild *rebuild);
