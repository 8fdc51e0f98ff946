/* The model: a configuration of a pod or container between two dialects, and the functions that keep its meaning on the way.

   The configuration is held in the newest dialect's stubs. First all "up" functions of the source dialect run, which say in the
   model what the older dialect meant without saying it; then all "down" functions of the target dialect, which say it in the
   target's terms or refuse what the target cannot say. rules.yaml, "normalise", says which function serves which dialects; no
   function asks for a dialect itself. Functions of one direction may run in any order. */
#ifndef CRIGATE_TRANSLATE_MODEL_H
#define CRIGATE_TRANSLATE_MODEL_H

#include <stdbool.h>

#include "arena.h"
#include "convert.h"
#include "error.h"
#include "v1/api.pb-c.h"

struct model {
    /* What is normalised: one of the three, the others are NULL. Unpacked with the arena's allocator, and to be freed only with
       the arena: parts may be replaced by memory of the arena or by static memory. */
    Runtime__V1__PodSandboxConfig *pod;
    Runtime__V1__ContainerConfig *container;
    Runtime__V1__LinuxContainerResources *resources; /* of UpdateContainerResources */

    const char *path;     /* of it in the request: "config", "sandbox_config", "linux" */
    struct arena *arena;  /* everything new is allocated here */
    struct report *report;
    bool caller_lacks_masked_paths; /* see struct conversion */
    bool masked_paths_assumed;      /* written: the lists are no caller's, an "up" function filled them */
    bool changed;                   /* written: something is different now, so that it must be packed anew */
};

/* false: refused. The error is INVALID_ARGUMENT with the field's path, or RESOURCE_EXHAUSTED when the arena is at its cap. */
typedef bool normalisation(struct model *model, struct error *error);

/* Up */

/* Absent namespace options become those that the older dialect meant: own process namespace, the pod's network and IPC. */
normalisation normalise_namespaces_said_up;

/* Fills today's default masked and read-only paths for a container that is not privileged: runtimes of the source's time masked
   on their own. */
normalisation normalise_masked_paths_fill_up;

/* The same, only when the listening socket is said to have callers that lack the fields and the container says neither. */
normalisation normalise_masked_paths_fill_if_caller_lacks_up;

/* Fills the messages `seccomp` and `apparmor` from the older strings where only a string is said. The strings stay. Refuses a string
   that no message can say: runtimes that read only the message would leave the container unconfined. */
normalisation normalise_profiles_fill_up;

/* Down */

/* Fills the strings from the messages; where both are said and differ, the message wins. The messages stay. */
normalisation normalise_profiles_fill_down;

/* The same for a dialect without the messages: they go away. */
normalisation normalise_profiles_to_strings_down;

/* The same for runtimes that know seccomp's default only as "docker/default". */
normalisation normalise_profiles_docker_default_down;

/* A pod's AppArmor profile where there is no field for it, neither message nor string: the runtime's default is fine, others are
   refused. */
normalisation normalise_sandbox_apparmor_down;

/* Namespace modes for a dialect with booleans: what true or false cannot say is refused. */
normalisation normalise_namespaces_down_v1_9;

/* Namespace modes for a dialect without TARGET. */
normalisation normalise_target_down_v1_12;

/* User namespaces for a dialect without them: the node's goes away, others are refused. */
normalisation normalise_user_namespace_down;

/* Masked and read-only paths for a dialect without them, whose runtimes mask on their own: lists that leave open what those mask are
   refused, more than those mask is counted. */
normalisation normalise_masked_paths_down_v1_9;

/* CDI devices for a dialect without them: gone where annotations ask for the same devices, else refused. */
normalisation normalise_cdi_devices_down;

/* A stop signal for a dialect without it: refused unless it is the runtime's default. */
normalisation normalise_stop_signal_down;

/* Huge pages, unified entries and swap for a dialect without them: what asks for nothing goes away, the rest is refused. Overhead
   and resources of a pod are dropped. Also serves `resources`. */
normalisation normalise_resources_down;

/* Windows for a dialect that has neither pods' nor containers' part of it. */
normalisation normalise_windows_down_v1_9;

/* Windows for a dialect that has the containers' part, without host processes and credential specs. */
normalisation normalise_windows_down_v1_12;

/* For the functions above */

/* "PATH.FIELD: REASON" as INVALID_ARGUMENT; answers false. `field` is below model->path, in the names of the .proto file. */
bool model_refuse(const struct model *model, struct error *error, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Counts one loss under the rule for that field ("ContainerConfig.windows"). */
void model_count(struct model *model, const char *field);

/* Cleared memory of the arena; NULL with RESOURCE_EXHAUSTED when it is at its cap. */
void *model_alloc(struct model *model, size_t size, struct error *error);

/* The security context of the pod or container, or NULL. */
Runtime__V1__LinuxSandboxSecurityContext *model_pod_security(const struct model *model);
Runtime__V1__LinuxContainerSecurityContext *model_container_security(const struct model *model);

/* The same, made where absent, together with what holds it; only for a model that has a pod, or a container. NULL with an error
   when memory is short. */
Runtime__V1__LinuxSandboxSecurityContext *model_require_pod_security(struct model *model, struct error *error);
Runtime__V1__LinuxContainerSecurityContext *model_require_container_security(struct model *model, struct error *error);

#endif
