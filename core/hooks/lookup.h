/* Asks a runtime for the facts of a pod or container that is not known: because it was created before a plugin appeared, or
   before a restart. Sources: the verbose status (translate/rebuild/rebuild.h has what runtimes answer), and the list of
   containers for the pod of a container whose status does not report it. */
#pragma once

#include "core/runtimes/runtime.h"
#include "core/store/fact_store.h"
#include "translate/schema/id_kind.h"

struct lookup;

/* What was found. Borrowed during the call. A container comes with its pod. A pod with a cgroup parent counts as one whose parent
   was changed: it is unknown whether it is what its caller sent, and its containers belong there. */
struct lookup_result {
    /* STATUS_OK: all else is set. NOT_FOUND: the runtime has no such pod or container, or no pod of it. INTERNAL: it answered
       what cannot be read. DEADLINE_EXCEEDED: no time was left. Otherwise the runtime's own failure, or why it could not be
       asked. */
    struct error error;
    struct bytes pod_id; /* ids as the runtime has them in full */
    struct bytes container_id;
    struct known_pod pod;
    struct known_container container; /* if a container was looked up */
    /* What no answer had, for the log: "cgroup parent, environment"; NULL: nothing is missing. Resources and environment are
       those of the container, if one was looked up. */
    const char *missing;
};

typedef void lookup_done(void *state, const struct lookup_result *result);

/* Asks for one pod, or for a container and its pod; all questions together may take this many milliseconds. `id` is copied.
   `done` runs once, later, on the worker's thread, unless it is cancelled; the lookup is gone then. NULL: out of memory, the
   runtime takes no calls (runtime_takes_calls has the reason), or the id is not UTF-8. */
struct lookup *lookup_start(struct runtime *runtime, enum id_kind kind, struct bytes id, int64_t milliseconds, lookup_done *done,
                            void *state);

/* Ends it early; `done` is not called. */
void lookup_cancel(struct lookup *lookup);
