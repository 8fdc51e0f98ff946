/* The container runtimes of the node, as they answer. Every text of a runtime here is cut to SHOWN_MOST bytes, and cannot control
   a terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/schema.h"

#define RUNTIMES_FOUND_MOST 16

/* Milliseconds for each call of runtimes_find. */
#define RUNTIMES_FIND_TIMEOUT 5000

struct runtime_found {
    const char *name;     /* for the runtime map: "containerd", "cri-o", "cri-dockerd", "dockershim", "docker", "k3s-containerd",
                             "microk8s-containerd", or the operator's; unique */
    const char *endpoint; /* "unix:///run/containerd/containerd.sock" */
    bool named;           /* by the operator (--runtime), else by its usual socket */
    bool answers;         /* Version, in at least one dialect */
    const char *why_not;  /* it does not answer ("nothing listens", "CRI is disabled in /etc/containerd/config.toml:5"), or it
                             answers and could not be asked all the rest; NULL: all went well */
    const char *runtime_name;    /* as it says: "containerd" */
    const char *runtime_version; /* "v1.7.2" */
    bool speaks[DIALECT_COUNT];  /* of two dialects of one package only the one of the runtime's time */
    const char *cgroup_driver;   /* "systemd", "cgroupfs", "" if it does not say */
    bool has_runtime_config;     /* answers RuntimeConfig, as kubelets from 1.38 on will want it */
    bool nri;                    /* NRI is on: it says so, or listens for plugins at .../nri/nri.sock, which only root sees */
    bool counted;                /* its lists came; false: what it holds is not known */
    size_t pods;                 /* sandboxes, in any state */
    size_t containers;
};

struct runtimes_found {
    struct runtime_found items[RUNTIMES_FOUND_MOST];
    size_t count;
};

/* The newest dialect that it speaks, which is the one that crigate uses; false if it speaks none. */
bool runtime_found_dialect(const struct runtime_found *found, enum dialect *dialect);

/* Asks one runtime; fills in all but `name` and `named`. At most `timeout` milliseconds for each of its calls; after the first
   that takes longer, no other is made. */
void runtime_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct runtime_found *found);

/* Asks an image service with a socket of its own, which need not have Version: fills in `endpoint`, `answers`, `speaks` (of each
   package the newest dialect) and `why_not`. */
void image_service_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct runtime_found *found);

/* Asks all with a usual socket that is there, and those that the operator names ("NAME=SOCKET", or a socket alone, which gets a
   name by its path or by what its runtime says), which come first. A socket that is crigate's own (`ours`, a path or NULL) is
   left out, but not if that is a link to a runtime's; one that two names lead to is there once. false: INVALID_ARGUMENT, wrong
   names. */
bool runtimes_find(const char *const *named, size_t named_count, const char *ours, struct arena *arena,
                   struct runtimes_found *found, struct error *error);

/* Asks one more, whose name comes likewise, unless its socket is there already. false: INVALID_ARGUMENT, it is not a Unix socket,
   or there are too many. */
bool runtimes_add(struct runtimes_found *found, const char *endpoint, struct arena *arena, struct error *error);

/* The path of the usual socket of the runtime with that name ("containerd"); NULL: there is none. `docker` is not one of them: it
   is what `endpoint: docker` of the runtime map means. */
const char *runtimes_usual_path(const char *name);

/* The one that listens there, by whatever path; NULL if it is not among them. */
struct runtime_found *runtimes_at(struct runtimes_found *found, const char *endpoint);

/* Where a runtime answers: "unix:///run/containerd/containerd.sock". */
struct runtime_sockets {
    const char *endpoint;
    const char *images; /* NULL: the same */
};

/* Compares what a runtime and another socket answer to the lists of pods, containers and images: which there are, and of each its
   metadata, labels, annotations, state and time, of images tags, digests and size. Order, what translation may change, and pods
   of which only the name is left, are left out. Asks again up to `rounds` times, half a second apart, while they differ, since a
   busy node changes between two calls. false with ABORTED and the first difference: "container 4f1c… is only in the list of
   unix:///…"; or with the code of a list that failed; RESOURCE_EXHAUSTED for more than 50000 items. */
bool runtime_lists_equal(const struct runtime_sockets *direct, const char *through, enum dialect dialect, unsigned rounds,
                         struct arena *arena, struct error *error);
