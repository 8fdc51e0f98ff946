/* Asks Docker for a container that is not known, and for its pod. */
#pragma once

#include "docker/hooks/state.h"
#include "translate/docker/facts.h"

struct docker_lookup;

/* What was found; all of it is in the lookup's arena. What is Kubernetes' is known now, too, if there was memory. */
struct docker_found {
    /* NOT_FOUND: Docker has no such container, or it is a container and its pod is gone. Else, why it could not be found out. */
    struct error error;
    struct docker_container container;
    struct hook_facts pod; /* of a container of Kubernetes' that is not a sandbox */
};

typedef void docker_lookup_done(void *state, const struct docker_found *found);

/* Asks for the container of that id, name or beginning of an id. `done` runs later, once, unless it is cancelled; the lookup is
   gone then. NULL: out of memory. */
struct docker_lookup *docker_lookup_start(struct docker_hooks *hooks, struct bytes container, struct arena *arena,
                                          docker_lookup_done *done, void *state);

void docker_lookup_cancel(struct docker_lookup *lookup);

/* The target of a request for an inspection, in the arena; NULL: out of memory. */
char *docker_inspection_target(struct bytes container, struct arena *arena);

/* Bytes of an inspection at most, and milliseconds that Docker has for it. */
#define DOCKER_INSPECTION_SIZE ((size_t)8 << 20)
#define DOCKER_INSPECTION_MS 5000

/* Reads the answer to a request for an inspection. NOT_FOUND: Docker has no such container. INTERNAL: it answered something else.
 * Else why there is no answer. */
bool docker_inspection_take(const struct error *error, unsigned status, struct bytes body, struct arena *arena,
                            struct docker_container *container, struct error *failure);
