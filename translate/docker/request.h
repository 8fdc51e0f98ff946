/* The bodies of requests to Docker's API for which hooks are called, and what plugins change in them.

   Which keys count is checked in github.com/moby/moby, runconfig/config_unix.go, 1.13 to 24.0, and
   daemon/internal/runconfig/config.go, 29: until 24.0, Memory, MemorySwap, CpuShares, CpusetCpus and Cpuset beside HostConfig
   count if HostConfig lacks them. Such a request, and one without HostConfig, is refused: no kubelet sends it. */
#pragma once

#include "translate/docker/facts.h"

/* Reads the body of a request that creates a container of that name. `kubernetes` is false if name or labels are not a kubelet's.
   false: INVALID_ARGUMENT for what Docker might read differently, or not at all; RESOURCE_EXHAUSTED at the arena's cap. */
bool docker_create_read(struct bytes name, struct bytes body, struct arena *arena, struct docker_container *container,
                        struct error *error);

/* Writes into the body what differs between two versions of the facts: of a sandbox labels, annotations and the cgroup parent; of
   a container resources, environment, annotations, and the cgroup parent if it differs from the request's. false:
   INVALID_ARGUMENT, with the field, for what Docker has no place for; RESOURCE_EXHAUSTED; INTERNAL if facts are malformed. */
bool docker_create_write(struct bytes body, const struct docker_container *container, const struct hook_facts *before,
                         const struct hook_facts *after, struct arena *arena, struct bytes *changed, struct error *error);

/* Reads the body of a request that updates a container: the resources that it sets, as a LinuxContainerResources of the model. */
bool docker_update_read(struct bytes body, struct arena *arena, struct bytes *resources, struct error *error);

/* Writes into it what differs between two versions of the container's facts. Otherwise like docker_create_write. For Docker, 0
   and an empty text in an update mean that nothing changes: no plugin can remove a limit so. */
bool docker_update_write(struct bytes body, struct bytes before, struct bytes after, struct arena *arena, struct bytes *changed,
                         struct error *error);
