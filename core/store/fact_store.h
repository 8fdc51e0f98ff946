/* What is known of the pods and containers of one runtime, for hooks: their facts (translate/hooks/facts.h) by the runtime's own
   ids. Kept only while plugins want it. For one thread. */
#pragma once

#include "translate/bytes/bytes.h"
#include "translate/schema/id_kind.h"

#include <stdbool.h>
#include <stddef.h>

struct fact_store;

struct known_pod {
    struct bytes handler;
    struct bytes facts;  /* a PodSandboxConfig */
    bool parent_changed; /* a plugin changed its cgroup parent: later containers of it get that of the facts */
    bool stopped;        /* the hook after its stop was called, or is about to be */
};

struct known_container {
    struct bytes pod_id;
    struct bytes facts;       /* a ContainerConfig without environment */
    struct bytes environment; /* the variables, encoded: joined behind the facts they are part of them */
    bool has_environment;     /* false: it is not known */
    bool stopped;             /* as for pods */
};

struct fact_store *fact_store_new(void);

/* NULL is allowed. */
void fact_store_free(struct fact_store *store);

/* Puts a pod or container in place of what was known of it. Everything is copied. false: no memory, and nothing is known of it.
 */
bool fact_store_put_pod(struct fact_store *store, struct bytes id, const struct known_pod *pod);
bool fact_store_put_container(struct fact_store *store, struct bytes id, const struct known_container *container);

/* Finds one. The result is borrowed until the store changes. */
bool fact_store_pod(const struct fact_store *store, struct bytes id, struct known_pod *pod);
bool fact_store_container(const struct fact_store *store, struct bytes id, struct known_container *container);

/* Sets `stopped`. false: it is not known, or was set already. */
bool fact_store_stop(struct fact_store *store, enum id_kind kind, struct bytes id);

/* Forgets one: a pod with its containers. */
void fact_store_remove(struct fact_store *store, enum id_kind kind, struct bytes id);

/* Forgets all of a kind for which `keep` answers false. A pod goes with its containers. */
void fact_store_retain(struct fact_store *store, enum id_kind kind, bool (*keep)(void *state, struct bytes id), void *state);

/* Forgets all environments, because memory is short or no plugin wants them. Returns how many bytes that freed. */
size_t fact_store_forget_environments(struct fact_store *store);

/* Forgets everything but pods whose cgroup parent a plugin changed: no plugin wants it any more. */
void fact_store_forget_unchanged(struct fact_store *store);

size_t fact_store_count(const struct fact_store *store, enum id_kind kind);

/* Pods whose cgroup parent was changed. */
size_t fact_store_changed_parents(const struct fact_store *store);

/* Bytes in use; of them, for environments. */
size_t fact_store_memory(const struct fact_store *store);
size_t fact_store_environment_memory(const struct fact_store *store);
