/* cri-dockerd in place of the dockershim that kubelets have built in up to 1.23: crigate-docker.service. */
#pragma once

/* For people. */
#define DOCKER_SHIM_NAME "cri-dockerd"

/* In the runtime map: what it says of itself. */
#define DOCKER_SHIM_RUNTIME "docker"

#define DOCKER_SHIM_UNIT "crigate-docker.service"

/* Where it listens: not where the kubelet's dockershim, or a cri-dockerd of the node's owner, does. */
#define DOCKER_SHIM_SOCKET "/run/crigate-docker/cri-dockerd.sock"
#define DOCKER_SHIM_ENDPOINT "unix://" DOCKER_SHIM_SOCKET

/* The options that the unit gives it. */
#define DOCKER_SHIM_ENVIRONMENT "/etc/crigate/docker.env"
