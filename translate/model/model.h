/* The model: a configuration of a pod or container between two dialects, and the functions that keep its meaning on the way.

   The configuration is held in the newest dialect's stubs. First all "up" functions of the source dialect run, which say in the
   model what the older dialect meant without saying it; then all "down" functions of the target dialect, which say it in the
   target's terms or refuse what the target cannot say. rules.yaml, "normalise", says which function serves which dialects; no
   function asks for a dialect itself. Functions of one direction may run in any order.

   Each answers false when it refuses; the error is then INVALID_ARGUMENT with the field's path, or RESOURCE_EXHAUSTED when the
   arena is at its cap. What is let through although it cannot be said, a normalisation leaves for the walk to drop, or takes out
   where the walk would not. */
#pragma once

#include <stdbool.h>

#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/walk/leniency.h"
#include "translate/walk/report.h"

struct model {
    /* What is normalised: one of the three, the others are NULL. Unpacked with the arena's allocator, and to be freed only with
       the arena: parts may be replaced by memory of the arena or by static memory. */
    Model__PodSandboxConfig *pod;
    Model__ContainerConfig *container;
    Model__LinuxContainerResources *resources; /* of UpdateContainerResources */

    const char *path;                /* of it in the request: "config", "sandbox_config", "linux" */
    struct arena *arena;             /* everything new is allocated here */
    struct report *report;           /* what gets lost is counted here; may be NULL */
    enum dialect to;                 /* the target's, for refusals */
    const struct leniency *leniency; /* what is let through all the same; may be NULL */
    bool caller_lacks_masked_paths;  /* see struct conversion */
    struct bytes image_name;         /* likewise */
    bool masked_paths_assumed;       /* written: the lists are no caller's, an "up" function filled them */
    bool changed;                    /* written: something is different now, so that it must be packed anew */
};

/* The functions are described where they are written. Their prototypes are generated from rules.yaml: one without a rule has
   none, which breaks the build. */

/* Refuses what the target cannot say, see leniency_refuse: true when it is let through and has to be taken out. `rule` is one
   that rules.yaml lists under the normalisation's `refuses`. `field` is below model->path, in the names of the .proto file. The
   reason goes on after "the runtime's dialect v1_9 ". */
bool model_refuse(const struct model *model, struct error *error, enum translation_rule_id rule, const char *field,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Counts that what the target lacks is left out, as it does no harm. `rule` and `field` as above. */
void model_drop(const struct model *model, enum translation_rule_id rule, const char *field);

/* Cleared memory of the arena; NULL with RESOURCE_EXHAUSTED when it is at its cap. */
void *model_alloc(struct model *model, size_t size, struct error *error);

/* The security context of the container, or NULL. */
Model__LinuxContainerSecurityContext *model_container_security(const struct model *model);

/* The namespace options of the pod or container, or NULL. */
Model__NamespaceOption *model_namespace_options(const struct model *model);

/* Makes the security context of the pod or container where it is absent, together with what holds it. */
bool model_require_security(struct model *model, struct error *error);
