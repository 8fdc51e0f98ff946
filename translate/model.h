/* The model: a configuration of a pod or container between two dialects, and the functions that keep its meaning on the way.

   The configuration is held in the newest dialect's stubs. First all "up" functions of the source dialect run, which say in the
   model what the older dialect meant without saying it; then all "down" functions of the target dialect, which say it in the
   target's terms or refuse what the target cannot say. rules.yaml, "normalise", says which function serves which dialects; no
   function asks for a dialect itself. Functions of one direction may run in any order.

   Each answers false when it refuses; the error is then INVALID_ARGUMENT with the field's path, or RESOURCE_EXHAUSTED when the
   arena is at its cap. */
#ifndef CRIGATE_TRANSLATE_MODEL_H
#define CRIGATE_TRANSLATE_MODEL_H

#include <stdbool.h>

#include "arena.h"
#include "convert.h"
#include "error.h"
#include "generated/functions.h"
#include "v1/api.pb-c.h"
#include "walk_table.h"

struct model {
    /* What is normalised: one of the three, the others are NULL. Unpacked with the arena's allocator, and to be freed only with
       the arena: parts may be replaced by memory of the arena or by static memory. */
    Runtime__V1__PodSandboxConfig *pod;
    Runtime__V1__ContainerConfig *container;
    Runtime__V1__LinuxContainerResources *resources; /* of UpdateContainerResources */

    const char *path;               /* of it in the request: "config", "sandbox_config", "linux" */
    struct arena *arena;            /* everything new is allocated here */
    struct report *report;          /* what gets lost is counted here; may be NULL */
    bool caller_lacks_masked_paths; /* see struct conversion */
    bool masked_paths_assumed;      /* written: the lists are no caller's, an "up" function filled them */
    bool changed;                   /* written: something is different now, so that it must be packed anew */
};

/* The functions. Their prototypes are generated from rules.yaml: one without a rule has none, which breaks the build. */

/* Up */

/* normalise_namespaces_said: Absent namespace options become those that the older dialect meant: own process namespace, the
   pod's network and IPC. */

/* normalise_masked_paths_default: Fills today's default masked and read-only paths for a container that is not privileged:
   runtimes of the source's time masked on their own. */

/* normalise_masked_paths_of_old_caller: The same, only when the listening socket is said to have callers that lack the fields
   and the container says neither. */

/* normalise_profiles_from_strings: Fills the messages `seccomp` and `apparmor` from the older strings where only a string is
   said. The strings stay. Refuses a string that no message can say: runtimes that read only the message would leave the
   container unconfined. */

/* Down */

/* normalise_profiles_to_strings: Fills the strings from the messages, which stay; where both are said and differ, the message
   wins. What no string can say is the runtime's to judge. */

/* normalise_profiles_to_strings_only: The same for a dialect without the messages: they go away, and what no string can say is
   refused. */

/* normalise_profiles_to_docker_strings: Like it, for runtimes that know seccomp's default only as "docker/default". */

/* normalise_sandbox_apparmor: A pod's AppArmor profile where there is no field for it, neither message nor string: the
   runtime's default goes away, others are refused. */

/* normalise_pid_namespace: Namespace modes for a dialect with booleans: what true or false cannot say is refused. */

/* normalise_target_pid_namespace: Namespace modes for a dialect without TARGET. */

/* normalise_user_namespace: User namespaces for a dialect without them: the node's goes away, others are refused. */

/* normalise_masked_paths: Masked and read-only paths for a dialect without them, whose runtimes mask on their own: lists that
   leave open what those mask are refused, more than those mask is counted. */

/* normalise_cdi_devices: CDI devices for a dialect without them: gone where annotations ask for the same devices, else
   refused. */

/* normalise_stop_signal: A stop signal for a dialect without it: refused unless it is the runtime's default. */

/* normalise_resources: Huge pages, unified entries and swap for a dialect without them: what asks for nothing goes away, the
   rest is refused. Serves containers and `resources`. */

/* normalise_windows: Windows for a dialect without it: counted, or refused where it says who a process runs as. */

/* normalise_windows_host_process: Windows for a dialect that has containers' part of it but no pods', no host processes and no
   credential specs. */

/* For the functions above */

/* "PATH.FIELD: REASON" as INVALID_ARGUMENT; answers false. `field` is below model->path, in the names of the .proto file. */
bool model_refuse(const struct model *model, struct error *error, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Cleared memory of the arena; NULL with RESOURCE_EXHAUSTED when it is at its cap. */
void *model_alloc(struct model *model, size_t size, struct error *error);

/* The security context of the container, or NULL. */
Runtime__V1__LinuxContainerSecurityContext *model_container_security(const struct model *model);

/* The namespace options of the pod or container, or NULL. */
Runtime__V1__NamespaceOption *model_namespace_options(const struct model *model);

/* Makes the security context of the pod or container where it is absent, together with what holds it. */
bool model_require_security(struct model *model, struct error *error);

#endif
