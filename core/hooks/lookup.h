/* Asks a runtime for the facts of a pod or container that is not known: because it was made before a plugin came, or before a
   restart. Sources: the verbose status (containerd's `info` has the configuration with which it was made, CRI-O's an OCI
   specification), ContainerStatus.resources (since Kubernetes 1.26), and the lists. */
#pragma once

#include "core/runtimes/runtime.h"
#include "core/store/fact_store.h"
#include "translate/schema/id_kind.h"

struct lookup;

/* What was found. Borrowed during the call. A container comes with its pod. */
struct lookup_result {
    struct error error; /* STATUS_OK; NOT_FOUND: the runtime has no such pod or container; else why it could not be asked */
    struct bytes pod_id;
    struct known_pod pod;             /* if pod_id is not empty */
    struct known_container container; /* if a container was looked up */
    /* What no answer had, for the log: "cgroup parent, environment"; NULL: nothing is missing. */
    const char *missing;
};

typedef void lookup_done(void *state, const struct lookup_result *result);

/* Asks for one pod, or for a container and its pod. `done` runs once, later, unless it is cancelled; the lookup is gone then.
   NULL: no memory, or the runtime is not ready. */
struct lookup *lookup_start(struct runtime *runtime, enum id_kind kind, struct bytes id, int64_t milliseconds, lookup_done *done,
                            void *state);

/* Ends it early; `done` is not called. */
void lookup_cancel(struct lookup *lookup);
