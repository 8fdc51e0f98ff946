/* Facts for hooks (translate/hooks/facts.h) from what Docker's API has of a container. */
#pragma once

#include "translate/docker/name.h"
#include "translate/docker/settings.h"
#include "translate/hooks/facts.h"

/* Where things are in a request or an answer: JSON texts, empty for what is missing. */
struct docker_sources {
    struct docker_name name;
    struct bytes labels;
    struct bytes environment; /* an array of "NAME=VALUE" */
    struct bytes settings;    /* HostConfig */
};

/* A container as a kubelet's. All bytes are in the arena, or borrowed from the text that was read. */
struct docker_container {
    bool kubernetes;         /* false: it is none of a kubelet's, and the rest is empty */
    bool of_pod;             /* a sandbox, which represents a pod */
    bool running;            /* of an answer */
    struct bytes id;         /* of an answer, in full */
    struct bytes sandbox_id; /* of a container that is not a sandbox */
    struct bytes parent;     /* the cgroup parent as Docker has it */
    /* The handler is "docker". Of a container, the pod is what its name, labels and cgroup parent say of it: names, the labels
       io.kubernetes.pod.*. Resources of pods are empty: those of a sandbox are its own. */
    struct hook_facts facts;
};

/* Reads them into `container`, all but `running` and `id`. `kubernetes` is false without the labels that kubelets set. false:
   INVALID_ARGUMENT, RESOURCE_EXHAUSTED. `error` must not be NULL. */
bool docker_facts_read(const struct docker_sources *sources, struct arena *arena, struct docker_container *container,
                       struct error *error);

/* A variable of an environment: "NAME=VALUE" in a JSON text. *has_value is false for what is not a variable: a null, or a name
   alone or none, by which Docker removes variables of the image. false: INVALID_ARGUMENT. */
bool docker_variable_read(struct bytes json, struct arena *arena, struct bytes *key, struct bytes *value, bool *has_value,
                          struct error *error);
