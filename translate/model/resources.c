/* Resources of containers. */
#include "translate/model/model.h"

#include <stdio.h>

#include "translate/model/usual.h"

struct judged_resources {
    Model__LinuxContainerResources *resources;
    const char *prefix; /* of its fields below model->path: "linux.resources." or "" */
};

static bool refuse_field(const struct model *model, const struct judged_resources *judged, enum translation_rule_id rule,
                         const char *field, const char *reason, struct error *error)
{
    char path[64];
    snprintf(path, sizeof path, "%s%s", judged->prefix, field);
    return model_refuse(model, error, rule, path, "%s", reason);
}

static void drop_entry(const struct model *model, const struct judged_resources *judged, const struct usual_setting *entry)
{
    char path[64];
    snprintf(path, sizeof path, "%sunified[%s]", judged->prefix, entry->key);
    model_drop(model, RULE_LinuxContainerResources_unified, path);
}

static bool judge_hugepages(struct model *model, const struct judged_resources *judged, struct error *error)
{
    Model__LinuxContainerResources *resources = judged->resources;
    for (size_t i = 0; i < resources->n_hugepage_limits; i++) {
        if (resources->hugepage_limits[i]->limit != 0 &&
            !refuse_field(model, judged, RULE_LinuxContainerResources_hugepage_limits, "hugepage_limits",
                          "lacks it, and a limit above zero was requested", error)) {
            return false;
        }
    }
    if (resources->n_hugepage_limits > 0) {
        resources->n_hugepage_limits = 0;
        resources->hugepage_limits = NULL;
        model->changed = true;
    }
    return true;
}

static bool judge_unified(struct model *model, const struct judged_resources *judged, struct error *error)
{
    Model__LinuxContainerResources *resources = judged->resources;
    for (size_t i = 0; i < resources->n_unified; i++) {
        const struct usual_setting *entry =
            usual_setting_of(bytes_of_string(resources->unified[i]->key), bytes_of_string(resources->unified[i]->value));
        if (!entry &&
            !refuse_field(model, judged, RULE_LinuxContainerResources_unified, "unified",
                          "lacks it, and the request has a cgroup v2 setting other than the kubelet's defaults", error)) {
            return false;
        }
        if (entry && entry->counted) {
            drop_entry(model, judged, entry);
        }
    }
    if (resources->n_unified > 0) {
        resources->n_unified = 0;
        resources->unified = NULL;
        model->changed = true;
    }
    return true;
}

static bool judge_swap(struct model *model, const struct judged_resources *judged, struct error *error)
{
    Model__LinuxContainerResources *resources = judged->resources;
    if (resources->memory_swap_limit_in_bytes == 0) {
        return true;
    }
    if (!usual_swap_limit(resources->memory_swap_limit_in_bytes, resources->memory_limit_in_bytes) &&
        !refuse_field(model, judged, RULE_LinuxContainerResources_memory_swap_limit_in_bytes, "memory_swap_limit_in_bytes",
                      "lacks it, and a limit neither zero nor equal to memory_limit_in_bytes was requested", error)) {
        return false;
    }
    resources->memory_swap_limit_in_bytes = 0;
    model->changed = true;
    return true;
}

/* Huge pages, unified entries and swap for a dialect without them: values that request nothing are left out, the rest is refused.
   For containers and `resources`. */
bool normalise_resources(struct model *model, struct error *error)
{
    struct judged_resources judged = {.resources = model->resources, .prefix = ""};
    if (model->container && model->container->linux) {
        judged = (struct judged_resources){.resources = model->container->linux->resources, .prefix = "linux.resources."};
    }
    return !judged.resources ||
           (judge_hugepages(model, &judged, error) && judge_unified(model, &judged, error) && judge_swap(model, &judged, error));
}
