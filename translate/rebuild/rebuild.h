/* Facts of pods and containers (translate/hooks/facts.h) from what a runtime answers about them: because they were created before
   plugins were called.

   Facts are what the kubelet sent when the pod or container was created, with later updates of resources, as far as an answer has
   it. Answers are verbose statuses. What is in them, and where that is known from:

   - The status: metadata, labels, annotations, the handler; of a container the resources in force (containerd since 1.6.9, CRI-O
     since 1.27).
   - `info`, a map from strings to strings that each runtime fills in its own way. All that are known have one key `info` with a
     JSON object under it:
     - containerd (1.6 to 2.3: internal/cri/server/container_status.go, internal/cri/server/sandbox_status.go): the configuration
       as received, under `config`, with the names of the .proto file, enums as numbers and without default values; the OCI
       specification as `runtimeSpec`; of a container also `sandboxID`. Resources in `config` never change: an update changes
       `runtimeSpec` and the resources of the status. A pod's updated overhead and resources are beside `config` (since 2.3).
       Environment values are strings up to 2.3.3, and base64 in 2.3.4, whose CRI has them as bytes. Which of the two it is shows
       when they are compared with the variables of `runtimeSpec`.
     - CRI-O (1.20 to 1.36: server/sandbox_status.go, server/container_status.go, internal/annotations/annotations.go):
       `runtimeSpec`, of a container also `sandboxID`. In the specification of a pod, annotations have the cgroup parent, the
       handler, which the status lacks, and as JSON in containerd's form overhead and resources (since 1.28, under other names
   since 1.35: pkg/annotations). With the systemd driver, only the last part of the cgroup parent is left of what the kubelet sent
   (internal/config/cgmgr/systemd_linux.go); the parts before it follow from its name.
     - cri-dockerd (0.2.6 to 0.4: core/convert.go): of a container `sandboxID`, of a pod nothing.
   - The environment of a `runtimeSpec` is that of the process: what the image and the runtime have set is in it, too. It is taken
     if there is no configuration, because the two cannot be told apart, and more variables serve a plugin better than none.

   Answers are hostile. JSON of more than REBUILD_JSON_SIZE bytes, or that is malformed, counts as none; a value of another type
   than expected counts as missing. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

#define REBUILD_JSON_SIZE ((size_t)4 << 20)

/* What no answer had: bits. */
enum rebuild_missing {
    REBUILD_NO_PARENT = 1,
    REBUILD_NO_RESOURCES = 2,
    REBUILD_NO_ENVIRONMENT = 4,
};

/* All bytes are in the arena, or borrowed from the answer. */
struct rebuilt_pod {
    struct bytes id;      /* as the runtime has it in full */
    struct bytes handler; /* empty: the default one */
    struct bytes facts;   /* a PodSandboxConfig */
    unsigned missing;
};

struct rebuilt_container {
    struct bytes id;
    struct bytes pod_id;      /* empty: no answer had it */
    struct bytes facts;       /* a ContainerConfig without environment */
    struct bytes environment; /* the variables, encoded: joined behind the facts they are part of them */
    unsigned missing;
};

/* Reads a PodSandboxStatusResponse or ContainerStatusResponse of the model's dialect, asked for as verbose. false: INTERNAL if it
   is malformed or has no status with an id, RESOURCE_EXHAUSTED at the arena's cap. */
bool rebuild_pod(struct bytes response, struct arena *arena, struct rebuilt_pod *pod, struct error *error);
bool rebuild_container(struct bytes response, struct arena *arena, struct rebuilt_container *container, struct error *error);

/* "cgroup parent, environment"; NULL if nothing is missing. */
const char *rebuild_missing_text(unsigned missing);
