/* The names that kubelets give containers in Docker (kubernetes 1.9 to 1.23: pkg/kubelet/dockershim/naming.go; cri-dockerd has
   the same): "k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT", of a pod's sandbox with POD as CONTAINER. After a conflict of names, a
   random part follows. */
#pragma once

#include "base/bytes/bytes.h"

/* Parts of the name. */
struct docker_name {
    struct bytes container;
    struct bytes pod;
    struct bytes space; /* the pod's namespace */
    struct bytes uid;
    uint32_t attempt; /* of the sandbox or of the container */
};

/* Reads it; Docker and its answers put a slash in front. false: no kubelet has given that name. */
bool docker_name_read(struct bytes text, struct docker_name *name);
