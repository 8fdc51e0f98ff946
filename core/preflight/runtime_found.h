/* The container runtimes of the node, as they answer. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/schema/schema.h"

#define RUNTIMES_FOUND_MOST 16

struct runtime_found {
    const char *name;     /* for the runtime map: "containerd", "cri-o", "cri-dockerd", "dockershim", or the operator's */
    const char *endpoint; /* "unix:///run/containerd/containerd.sock" */
    bool named;           /* by the operator (--runtime), else by its usual socket */
    bool answers;
    const char *why_not; /* of one that does not answer: "nothing listens", "CRI is disabled in /etc/containerd/config.toml:5" */
    const char *runtime_name;    /* as it says: "containerd" */
    const char *runtime_version; /* "v1.7.2" */
    bool speaks[DIALECT_COUNT];
    const char *cgroup_driver; /* "systemd", "cgroupfs", "" if it does not say */
    bool has_runtime_config;   /* answers RuntimeConfig, as kubelets from 1.38 on will want it */
    bool nri;                  /* NRI is on, as far as it says */
    size_t pods;               /* sandboxes, in any state */
    size_t containers;
};

struct runtimes_found {
    struct runtime_found items[RUNTIMES_FOUND_MOST];
    size_t count;
};

/* Asks one runtime; fills all but `name` and `named`. At most `timeout` milliseconds for each of its calls. */
void runtime_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct runtime_found *found);

/* All with a usual socket that is there, and those that the operator names ("NAME=SOCKET", or a socket alone). A socket that is
   crigate's own (`ours`, a path) is left out; one that two names lead to is there once. false: wrong arguments. */
bool runtimes_find(const char *const *named, size_t named_count, const char *ours, struct arena *arena,
                   struct runtimes_found *found, struct error *error);

/* Compares what two sockets answer to the lists of pods, containers and images (what changes by itself, such as order, is left
   out). Asks again up to `rounds` times while they differ, since a busy node changes between two calls. false with the first
   difference: "container 4f1c… is only in the list of unix:///…". */
bool runtime_lists_equal(const char *direct, const char *through, enum dialect dialect, unsigned rounds, struct arena *arena,
                         struct error *error);
