/* The cgroups in which Docker may keep a container, by what is known of its pod. Pure: whether they exist is the node's word. */
#pragma once

#include "base/bytes/arena.h"

/* The most that one container may have. */
#define CONTAINER_CGROUPS 9

/* What is known. All of it is the runtime's or the caller's text, and hostile. */
struct container_place {
    struct bytes id;     /* of the container */
    struct bytes uid;    /* of its pod in Kubernetes; empty: not known */
    struct bytes parent; /* the pod's cgroup, as its configuration names it; empty: not known */
};

/* Their paths below the hierarchy's root, without a slash at the beginning, the likelier ones first: below `parent`; below the
   cgroup that kubelets give to a pod of that uid, for each class of quality of service, and for both cgroup drivers (since
   Kubernetes 1.6); where Docker puts containers without a parent. The driver cgroupfs makes PARENT/ID. The driver systemd makes
   docker-ID.scope in the slice that is the last part of the parent's path, and a slice lies in the slices that its name implies.

   Each path ends in the id, of 64 hexadecimal digits, so that what exists there belongs to no other container. No part of it is
   empty, "." or "..". Text of another form yields no path. Returns how many there are, in the arena; 0 also without memory. */
size_t container_cgroups(struct arena *arena, const struct container_place *place, const char *paths[CONTAINER_CGROUPS]);
