/* Answers of Docker's API, which are read with any version of it (checked in github.com/moby/moby, 1.13 to 29: api/types).
 * Hostile, like requests. */
#pragma once

#include "translate/docker/facts.h"

/* The id in the answer to a request that created a container; in the arena. false: INTERNAL, RESOURCE_EXHAUSTED. */
bool docker_created_read(struct bytes answer, struct arena *arena, struct bytes *id, struct error *error);

/* A container as GET /containers/ID/json has it: its facts are those of its creation, with later updates of resources; the
   environment has that of the image, too, and the cgroup parent is the one in force. false: INTERNAL if the answer is none,
   RESOURCE_EXHAUSTED. A container whose name or labels are not a kubelet's has only its id. */
bool docker_inspection_read(struct bytes answer, struct arena *arena, struct docker_container *container, struct error *error);

/* The ids in a list of containers, as GET /containers/json has it. false: INTERNAL, RESOURCE_EXHAUSTED; some may have been
 * visited. */
bool docker_list_read(struct bytes answer, struct arena *arena, void (*visit)(void *state, struct bytes id), void *state,
                      struct error *error);

/* The text of a failure, from {"message": TEXT}; empty: it is none. In the arena. */
struct bytes docker_message_read(struct bytes answer, struct arena *arena);
