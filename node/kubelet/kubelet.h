/* The node's kubelet: which process it is, and where each setting that concerns its runtime comes from. Only reads. Which release
   reads what from where: docs/kubelet.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "node/files/text_edit.h"
#include "node/systemd/systemd.h"

/* Who laid the node out, as far as it changes what may be edited: node/kubelet/owners.c. */
enum kubelet_layout {
    KUBELET_PLAIN, /* a unit of the node's owner */
    KUBELET_BOTTLEROCKET,
    KUBELET_TALOS,
    KUBELET_OPENSHIFT,
    KUBELET_KOPS,
    KUBELET_GCE, /* kube-up.sh, and GKE */
    KUBELET_EKS_SNAP,
    KUBELET_EKS,
    KUBELET_K0S,
    KUBELET_K3S, /* built into k3s: only its own configuration has the endpoint */
    KUBELET_RKE2,
    KUBELET_MICROK8S,
    KUBELET_CANONICAL,
    KUBELET_CHARMED,
    KUBELET_SNAP,
    KUBELET_AKS,
    KUBELET_KUBEADM,
    KUBELET_KUBESPRAY,
    KUBELET_LAYOUT_COUNT,
};

enum kubelet_source {
    KUBELET_SOURCE_DEFAULT, /* nothing sets it */
    KUBELET_SOURCE_FLAG,    /* on the command line; `place` is in the file that the word comes from */
    KUBELET_SOURCE_CONFIG,  /* in the file of --config */
    KUBELET_SOURCE_DROP_IN, /* in a file of --config-dir */
    KUBELET_SOURCE_LIST,    /* among the kubelet's arguments in the configuration of k3s or RKE2 (kubelet-arg) */
};

/* A setting in force. A flag wins over a drop-in, the last drop-in over the others, and these over the file. */
struct kubelet_setting {
    const char *value; /* "" when nothing sets it */
    enum kubelet_source source;
    struct text_place place; /* of the value's text; its file is NULL if it is in no file, and its length 0 if it is not there in
                                plain form (escapes, or nothing) */
    const char *variable;    /* of an environment file or an Environment= line, NULL elsewhere */
};

struct kubelet_version {
    unsigned major, minor, patch; /* 0.0.0: could not be determined */
    const char *text;             /* "v1.31.4" */
};

struct kubelet {
    pid_t pid;           /* 0: not running; then everything comes from the unit and its files */
    const char *program; /* path of the executable */
    struct kubelet_version version;
    struct systemd_unit unit; /* not loaded: it is not a systemd service */
    enum kubelet_layout layout;
    const char *starter;          /* path of the program that started it; NULL: systemd, or not known */
    const char *own_endpoint;     /* of the runtime that k3s starts, if its configuration names an unusual one; else NULL */
    const char *argument_list;    /* k3s, RKE2: where an argument for the kubelet has an effect, as words before it; else NULL */
    const char *const *arguments; /* the command line, with the program's name */
    size_t argument_count;
    const char *unclear;          /* why its future options are unknown while it is not running; NULL: they are known */
    bool rootless;                /* runs in a user namespace, or not as root */
    bool dynamic_config;          /* --dynamic-config-dir (1.8 to 1.23): its configuration comes from the API server */
    const char *config_file;      /* --config; NULL without */
    const char *config_folder;    /* --config-dir; NULL without */
    const char *kubeadm_flags;    /* /var/lib/kubelet/kubeadm-flags.env if it is there and the unit reads it, else NULL */
    const char *kubeadm_instance; /* /var/lib/kubelet/instance-config.yaml if it is there, else NULL */
    struct kubelet_setting container_runtime; /* --container-runtime, to 1.26 */
    struct kubelet_setting runtime_endpoint;
    struct kubelet_setting image_endpoint;
    struct kubelet_setting cgroup_driver;
    const char *healthz_address; /* "127.0.0.1:10248"; NULL: switched off */
};

/* One of several processes that might be the node's kubelet. */
struct kubelet_candidate {
    pid_t pid;
    const char *program;
    const char *why_not; /* NULL: it may be the one; else "runs in a container", "runs as uid 1000", … */
};

struct kubelet_search {
    pid_t pid; /* --kubelet: this process; 0: find it */
    /* Filled: all processes that look like a kubelet, for a message. */
    const struct kubelet_candidate *candidates;
    size_t candidate_count;
};

/* Finds the node's kubelet and reads its files: by the main process of its unit (kubelet.service and those of distributions, see
   known_units in find.c), else a process of uid 0 in this mount and PID namespace whose executable is a kubelet. A unit among
   these that is not running still describes one (pid 0). NOT_FOUND: there is none. FAILED_PRECONDITION: there are several, or the
   process of `pid` is not a kubelet. Files with mistakes: INVALID_ARGUMENT with file and line. Strings live in the arena. */
bool kubelet_find(struct kubelet_search *search, struct arena *arena, struct kubelet *kubelet, struct error *error);

/* Of Kubernetes 1: the first release whose kubelet has no Docker built in, and no --container-runtime that matters. */
#define KUBELET_FIRST_WITHOUT_DOCKER 24

/* Whether the version is known and at least major.minor. */
static inline bool kubelet_is_since(const struct kubelet *kubelet, unsigned major, unsigned minor)
{
    const struct kubelet_version *version = &kubelet->version;
    return version->major > major || (version->major == major && version->minor >= minor);
}

/* "--container-runtime-endpoint in /var/lib/kubelet/kubeadm-flags.env:1 (KUBELET_KUBEADM_ARGS)" and the like, for people. Lives
   in the arena. */
const char *kubelet_setting_origin(const struct kubelet *kubelet, const struct kubelet_setting *setting, struct arena *arena);
