/* What is known of the pods and containers of one runtime, for hooks: their facts (translate/hooks/facts.h) by the runtime's own
   ids. Kept only while plugins want it. For one thread.

   Ids come from runtimes and the rest from callers, so all of it is bounded, and ids are hashed with a secret key. Bytes that a
   function takes may be borrowed from the same store. */
#pragma once

#include "base/bytes/bytes.h"
#include "translate/schema/id_kind.h"

#include <stdbool.h>
#include <stddef.h>

/* Limits in bytes: of an id, as in id_index.h; of the id, holder and facts of one pod or container; of the memory for all of them
   without environments; and of the environment of one container, which a plugin's answer (at most 1 MiB) has to repeat. */
#define FACT_STORE_LONGEST_ID 255
#define FACT_STORE_ENTRY_LIMIT ((size_t)256 * 1024)
#define FACT_STORE_LIMIT ((size_t)64 * 1024 * 1024)
#define FACT_STORE_ENVIRONMENT_LIMIT ((size_t)1024 * 1024)

struct fact_store;

struct known_pod {
    struct bytes handler;
    struct bytes facts;  /* a PodSandboxConfig */
    bool parent_changed; /* a plugin changed its cgroup parent: later containers of it get that of the facts */
    bool stopped;        /* the hook after its stop was called, or is about to be */
};

struct known_container {
    struct bytes pod_id;      /* of a pod that need not be known */
    struct bytes facts;       /* a ContainerConfig without environment */
    struct bytes environment; /* the variables, encoded: joined behind the facts they are part of them */
    bool has_environment;     /* false: it is not known */
    bool stopped;             /* as for pods */
};

/* NULL: out of memory. */
struct fact_store *fact_store_new(void);

/* NULL is allowed. */
void fact_store_free(struct fact_store *store);

/* Puts a pod or container in place of what was known of it. Everything is copied. false: out of memory, or a limit is exceeded,
   or the id is empty; nothing is known of it then. An environment that is too long, or has no memory, is not known. */
bool fact_store_put_pod(struct fact_store *store, struct bytes id, const struct known_pod *pod);
bool fact_store_put_container(struct fact_store *store, struct bytes id, const struct known_container *container);

/* Sets the environment of a container. false: the container is not known, or the environment is too long, or out of memory; the
   container is as it was then. */
bool fact_store_set_environment(struct fact_store *store, struct bytes id, struct bytes environment);

/* Finds one. The result is borrowed until the store changes. */
bool fact_store_pod(const struct fact_store *store, struct bytes id, struct known_pod *pod);
bool fact_store_container(const struct fact_store *store, struct bytes id, struct known_container *container);

/* Calls `visit` for each of a kind, in no order. It must not change the store. */
void fact_store_each(const struct fact_store *store, enum id_kind kind, void (*visit)(void *state, struct bytes id), void *state);

/* Sets `stopped`. false: it is not known, or was set already. */
bool fact_store_stop(struct fact_store *store, enum id_kind kind, struct bytes id);

/* Forgets one: a pod with its containers, even if only these are known. */
void fact_store_remove(struct fact_store *store, enum id_kind kind, struct bytes id);

/* Forgets all of a kind for which `keep` answers false, which must not change the store. A pod goes with its containers. */
void fact_store_retain(struct fact_store *store, enum id_kind kind, bool (*keep)(void *state, struct bytes id), void *state);

/* Forgets all environments, because memory is short or no plugin wants them. Returns how many bytes that freed. */
size_t fact_store_forget_environments(struct fact_store *store);

/* Forgets everything but pods whose cgroup parent a plugin changed: no plugin wants it any more. */
void fact_store_forget_unchanged(struct fact_store *store);

size_t fact_store_count(const struct fact_store *store, enum id_kind kind);

/* Pods whose cgroup parent was changed. */
size_t fact_store_changed_parents(const struct fact_store *store);

/* Bytes in use, environments included; of them, for environments; of them, for ids, holders and facts. A container's holder is
   its pod, a pod's is its handler. */
size_t fact_store_memory(const struct fact_store *store);
size_t fact_store_environment_memory(const struct fact_store *store);
size_t fact_store_text_memory(const struct fact_store *store);
