/* Labels of a container as kubelets set them (kubernetes 1.9 to 1.23: pkg/kubelet/dockershim/helpers.go): annotations are among
   them, behind a prefix, and some labels are the dockershim's own, which no caller of CRI gets. */
#pragma once

#include "base/bytes/error.h"
#include "translate/json/scan.h"

enum docker_label_kind {
    DOCKER_LABEL,
    DOCKER_ANNOTATION,
    DOCKER_TYPE,       /* io.kubernetes.docker.type: "podsandbox" or "container" */
    DOCKER_SANDBOX_ID, /* io.kubernetes.sandbox.id, of a container */
    DOCKER_OWN,        /* others of the dockershim's own */
};

struct docker_label {
    enum docker_label_kind kind;
    struct bytes key; /* of an annotation without the prefix */
    struct bytes value;
    struct bytes text; /* of the value, in the object */
};

struct docker_labels {
    struct json_scan scan;
    struct arena *arena;
    bool open;   /* there is an object */
    bool of_pod; /* of a sandbox: its label with a container's name is the dockershim's own */
};

/* Begins; `object` is the JSON text of the labels, which may be null or empty: then there are none. false: INVALID_ARGUMENT. */
bool docker_labels_open(struct bytes object, bool of_pod, struct arena *arena, struct docker_labels *labels, struct error *error);

/* The next label; what is decoded is in the arena. false at the end, or with INVALID_ARGUMENT for a value that is not a string,
   or a text that is not UTF-8 or has a NUL. A null is an empty text. */
bool docker_labels_next(struct docker_labels *labels, struct docker_label *label, struct error *error);

/* The key that a label or annotation has in Docker, in the arena. false: INVALID_ARGUMENT for one that would be taken for another
 * kind; RESOURCE_EXHAUSTED. */
bool docker_label_key(enum docker_label_kind kind, struct bytes key, struct arena *arena, struct bytes *whole,
                      struct error *error);
