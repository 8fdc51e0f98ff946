/* A node whose kubelet has Docker built in: up to 1.23, with --container-runtime=docker, which is the default. Its dockershim
   ends when the kubelet calls another socket, so that cri-dockerd must speak CRI for Docker then. Only reads.

   Running pods stay: dockershim (Kubernetes 1.18, 1.22) and cri-dockerd (0.3.0 to 0.4.3) give containers the same names and
   labels, find pods by these, and ask Docker and the pod's network namespace for what they need of one that they did not make.
   What only their checkpoints have are host ports. They are in folders of their own, since the checksums in them differ: the one
   would delete what the other wrote. So CNI's rules for host ports stay when the other deletes the pod (CNI's plugin portmap 1.0
   to 1.9 removes none that it is not told of). */
#pragma once

#include "core/map/shim.h"
#include "node/files/planned.h"
#include "node/kubelet/kubelet.h"

#define DOCKER_NODE_MOST_LINES 8

struct docker_node {
    bool built_in;                               /* the rest only then */
    struct planned_file environment;             /* of cri-dockerd's unit */
    const char *impossible;                      /* NULL, or why cri-dockerd cannot replace it: by_hand says what to do */
    const char *by_hand[DOCKER_NODE_MOST_LINES]; /* one line each */
    size_t by_hand_count;
    const char *warnings[DOCKER_NODE_MOST_LINES]; /* what changes for the node */
    size_t warning_count;
};

/* Where the plan looks. */
struct docker_node_paths {
    const char *const *programs; /* of cri-dockerd; the first that is there */
    size_t program_count;
    const char *environment;
    const char *checkpoints; /* dockershim's */
};

/* Those of a node. */
extern const struct docker_node_paths docker_node_paths;

/* Whether this kubelet has Docker built in, and uses it. */
bool docker_node_is_built_in(const struct kubelet *kubelet);

/* Plans what replaces the dockershim of a kubelet that has Docker built in; nothing for other kubelets. Everything lives in the
   arena. false: out of memory, or a file could not be read. */
bool docker_node_plan(const struct kubelet *kubelet, const struct docker_node_paths *paths, struct arena *arena,
                      struct docker_node *node, struct error *error);

/* The address of Docker that this kubelet uses: "unix:///var/run/docker.sock". Lives in the arena. */
const char *docker_node_engine(const struct kubelet *kubelet, struct arena *arena);
