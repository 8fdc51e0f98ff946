/* What there is on this node before anything is changed. Only reads. */
#pragma once

#include "node/kubelet/docker_node.h"
#include "node/kubelet/kubelet.h"
#include "node/kubelet/plan.h"
#include "node/preflight/pair.h"
#include "node/preflight/runtime_found.h"

struct survey {
    bool root; /* whether the process that looks has all rights; without, some things stay hidden */

    struct kubelet_search search;
    bool has_kubelet;
    struct error why_no_kubelet;
    struct kubelet kubelet;

    struct runtimes_found runtimes;
    const char *endpoint;                /* that the kubelet calls, by its settings or its release's default; NULL: none */
    bool default_endpoint;               /* it is the default */
    bool calls_crigate;                  /* that is crigate's own; then `present` is the primary of the runtime map */
    bool bypassed;                       /* likewise, but the path of crigate's socket is a link */
    const struct runtime_found *present; /* among `runtimes`; NULL: there is none at that endpoint */
    bool has_pair;
    struct pair pair; /* the kubelet and `present`, or what replaces it */

    bool has_images;             /* the kubelet calls an image service at another socket than the runtime's and crigate's */
    struct runtime_found images; /* that one, see image_service_ask */
    bool images_direct;          /* it serves a package that the kubelet tries, or could not be asked */

    const char *systemd_obstacle; /* why this node's systemd cannot start crigate.service; NULL: it can, or it is not running */
    unsigned cgroup_version;      /* 1, 2, or 0: /sys/fs/cgroup is neither */

    const char *listen; /* the kubelet's new endpoint; NULL without a kubelet */
    bool has_plan;
    struct error why_no_plan;
    struct plan plan;          /* impossible also if nothing can take the place of the Docker that is built in */
    struct docker_node docker; /* what takes the place of a Docker that is built into the kubelet */
};

/* Whether the kubelet does not start without crigate: its runtime or its image service serves none of its packages. */
static inline bool survey_needs_crigate(const struct survey *survey)
{
    return (survey->has_pair && !survey->pair.direct) || (survey->has_images && !survey->images_direct);
}

/* What the operator says. */
struct survey_options {
    pid_t kubelet;            /* 0: find it */
    const char *const *named; /* "NAME=SOCKET" */
    size_t named_count;
};

/* Looks at everything; strings live in the arena. false: INVALID_ARGUMENT, the options are wrong. */
bool survey_take(const struct survey_options *options, struct arena *arena, struct survey *survey, struct error *error);

/* The endpoint that this kubelet calls if nothing sets one: dockershim's to 1.23, containerd's from 1.27 on, and that of k3s' and
   RKE2's own containerd. NULL: it does not start then (1.24 to 1.26), or its version is not known. */
const char *survey_default_endpoint(const struct kubelet *kubelet);

/* The endpoint of the runtime behind crigate's socket `called` (a path), which the kubelet calls. By the runtime map, with its
   `listen` (a path) and `primary` (an endpoint; NULL: no map), unless that was not written for this node, as the package's: then
   it is CRI-O's where `called` is named after that, or, if the primary is not there, `own`, which the node's owner starts (NULL:
   none). NULL: not known. */
const char *survey_behind_crigate(const char *called, const char *listen, const char *primary, const char *own);
