#include "translate/hooks/check.h"
#include "translate/hooks/compare.h"

/* A pod or container in three versions. */
static bool check_versions(const struct hook_message *message, const struct hook_versions *versions, struct error *error)
{
    return (hook_show(message, versions->original, NULL, error) && hook_show(message, versions->before, NULL, error)) ||
           error_wrap(error, "facts");
}

/* Merges the answer about one of the two. */
static bool merge(const struct hook_compare *compare, enum model_kind kind, const struct hook_versions *versions,
                  struct bytes *merged)
{
    const struct hook_message *message = hook_messages[kind];
    struct hook_edits *edits;
    return hook_show(message, versions->after, NULL, compare->error) && check_versions(message, versions, compare->error) &&
           hook_compare_messages(compare, message, versions, &edits) &&
           hook_edits_run(edits, versions->before, compare->arena, merged, compare->error);
}

bool hook_facts_merge(const struct hook_facts *original, struct hook_facts *facts, const struct hook_facts *answer,
                      struct arena *arena, struct hook_changes *changes, struct error *error)
{
    struct hook_changes merged_changes = {0};
    struct hook_compare compare = {.comparison = HOOK_COMPARE_ANSWER, .arena = arena, .changes = &merged_changes, .error = error};
    struct hook_versions pod = {.original = original->pod, .before = facts->pod, .after = answer->pod};
    struct hook_versions container = {.original = original->container, .before = facts->container, .after = answer->container};
    struct bytes merged_pod, merged_container;
    if (!merge(&compare, MODEL_POD, &pod, &merged_pod) || !merge(&compare, MODEL_CONTAINER, &container, &merged_container)) {
        return false;
    }
    facts->pod = merged_pod;
    facts->container = merged_container;
    *changes = merged_changes;
    return true;
}

bool hook_facts_update(struct bytes container, struct bytes resources, struct arena *arena, struct bytes *updated,
                       struct error *error)
{
    const struct hook_message *message = hook_messages[MODEL_CONTAINER];
    struct hook_versions versions = {.before = container};
    struct hook_compare compare = {.comparison = HOOK_COMPARE_UPDATE, .arena = arena, .error = error};
    struct hook_edits *edits;
    return hook_facts_of(MODEL_RESOURCES, resources, arena, &versions.after, error) &&
           check_versions(message, &versions, error) && hook_compare_messages(&compare, message, &versions, &edits) &&
           hook_edits_run(edits, container, arena, updated, error);
}

/* The resources in the facts of a container. */
static struct bytes resources_of(struct bytes container)
{
    struct bytes linux_config = wire_last_payload(container, hook_places[HOOK_CONTAINER_LINUX]->number);
    return wire_last_payload(linux_config, hook_places[HOOK_CONTAINER_RESOURCES]->number);
}

bool hook_facts_apply(enum model_kind kind, struct bytes config, struct bytes before, struct bytes after, struct arena *arena,
                      struct bytes *out, struct error *error)
{
    bool resources = kind == MODEL_RESOURCES;
    struct hook_versions versions = {
        .before = resources ? resources_of(before) : before,
        .after = resources ? resources_of(after) : after,
    };
    struct hook_compare compare = {.comparison = HOOK_COMPARE_EXACT, .arena = arena, .error = error};
    struct hook_edits *edits;
    return hook_show(hook_messages[kind], versions.after, NULL, error) && check_versions(hook_messages[kind], &versions, error) &&
           hook_compare_messages(&compare, hook_messages[kind], &versions, &edits) &&
           hook_edits_run(edits, config, arena, out, error);
}
