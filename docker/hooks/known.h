/* What is known of Docker's pods and containers. */
#pragma once

#include "docker/hooks/state.h"
#include "translate/docker/facts.h"

/* Whether it has the form of a whole id, 64 hexadecimal digits. Docker looks for those first; what else there is in a path may be
   a name, or the beginning of an id, and only Docker knows of which container. */
bool docker_known_is_id(struct bytes text);

/* What plugins must know of a container, or of a pod: then the container is empty, and so is its id. */
struct docker_known {
    struct hook_facts facts;
    bool has_environment; /* that of the container is among the facts */
};

/* Takes a pod or container that is known, in the arena. false: it is not, or memory is short. */
bool docker_known_pod(const struct docker_hooks *hooks, struct bytes id, struct arena *arena, struct docker_known *known);
bool docker_known_container(const struct docker_hooks *hooks, struct bytes id, struct arena *arena, struct docker_known *known);

/* Learns of one from its inspection, unless it is known with all that plugins want of it. One that is not running counts as
 * stopped. */
void docker_known_inspected(struct docker_hooks *hooks, const struct docker_container *container, struct arena *arena);

/* A pod or container was created, or a container updated: `facts` have its id. `other_parent`: a plugin changed the pod's cgroup
 * parent. */
void docker_known_put_pod(struct docker_hooks *hooks, const struct hook_facts *facts, bool other_parent);
void docker_known_put_container(struct docker_hooks *hooks, const struct hook_facts *facts, bool has_environment,
                                struct arena *arena);

/* It was started: its next stop has a hook. */
void docker_known_started(struct docker_hooks *hooks, struct bytes container_id, struct arena *arena);

/* Docker has no container of that id any more. */
void docker_known_remove(struct docker_hooks *hooks, struct bytes id);
