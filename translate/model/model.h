/* The model: a configuration of a pod or container between two dialects, and the functions that keep its meaning.

   The configuration is held in the newest dialect's stubs. First, all "up" functions of the source dialect run: they make
   explicit what the older dialect implies. Then all "down" functions of the target dialect run: they express it in the target's
   terms, or refuse what the target cannot express. rules.yaml, "normalise", lists the functions for each dialect; no function
   looks at the dialect itself. Functions of one direction may run in any order.

   Each returns false if it refuses; the error is then INVALID_ARGUMENT with the field's path, or RESOURCE_EXHAUSTED if the arena
   is at its cap. If something is let through that cannot be expressed, the normalisation leaves it for the walk to drop, or
   removes it if the walk would not. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/walk/leniency.h"
#include "translate/walk/report.h"

struct model {
    /* What is normalised: one of the three, the others are NULL. Unpacked with the arena's allocator, and freed only with the
       arena: parts may be replaced by memory of the arena or by static memory. */
    Model__PodSandboxConfig *pod;
    Model__ContainerConfig *container;
    Model__LinuxContainerResources *resources; /* of UpdateContainerResources */

    const char *path;                /* its path in the request: "config", "sandbox_config", "linux" */
    struct arena *arena;             /* everything new is allocated here */
    struct report *report;           /* losses are counted here; may be NULL */
    enum dialect to;                 /* the target's, for refusals */
    const struct leniency *leniency; /* what is let through although it cannot be expressed; may be NULL */
    bool caller_lacks_masked_paths;  /* see struct conversion */
    bool *unmasked;                  /* likewise */
    struct bytes image_name;         /* likewise */
    bool masked_paths_assumed;       /* written: an "up" function filled the lists, not the caller */
    bool changed;                    /* written: something has changed, so it must be packed again */
};

/* The functions are described in their sources. Their prototypes are generated from rules.yaml: a function without a rule has no
   prototype, and breaks the build. */

/* Refuses what the target cannot express, see leniency_refuse: true if it is let through; the caller must then remove it. `rule`
   must be listed under the normalisation's `refuses` in rules.yaml. `field` is relative to model->path, with names of the .proto
   file. The reason continues "the runtime's dialect v1_9 ". */
bool model_refuse(const struct model *model, struct error *error, enum translation_rule_id rule, const char *field,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Counts that something which the target lacks is left out because it does no harm. `rule` and `field` as above. */
void model_drop(const struct model *model, enum translation_rule_id rule, const char *field);

/* Cleared memory of the arena; NULL with RESOURCE_EXHAUSTED if it is at its cap. */
void *model_alloc(struct model *model, size_t size, struct error *error);

/* The security context of the container, or NULL. */
Model__LinuxContainerSecurityContext *model_container_security(const struct model *model);

/* The namespace options of the pod or container, or NULL. */
Model__NamespaceOption *model_namespace_options(const struct model *model);

/* Creates the security context of the pod or container if it is absent, and the messages around it. */
bool model_require_security(struct model *model, struct error *error);
