#include "translate/hooks/check.h"
#include "translate/hooks/compare.h"

/* Checks facts, which may come from a file. They are not the plugin's mistake, so they have a code of their own. */
static bool check_facts(enum model_kind kind, struct bytes facts, struct error *error)
{
    struct error reason = {0};
    return hook_show(hook_messages[kind], facts, NULL, &reason) || error_set(error, STATUS_INTERNAL, "facts: %s", reason.message);
}

/* Merges the answer about one of the two. */
static bool merge(const struct hook_compare *compare, enum model_kind kind, const struct hook_versions *versions,
                  struct bytes *merged)
{
    const struct hook_message *message = hook_messages[kind];
    struct hook_edits *edits;
    return hook_show(message, versions->after, NULL, compare->error) && check_facts(kind, versions->original, compare->error) &&
           check_facts(kind, versions->before, compare->error) && hook_compare_messages(compare, message, versions, &edits) &&
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
    struct hook_versions versions = {.before = container};
    struct hook_compare compare = {.comparison = HOOK_COMPARE_UPDATE, .arena = arena, .error = error};
    struct hook_edits *edits;
    return hook_facts_of(MODEL_RESOURCES, resources, arena, &versions.after, error) &&
           check_facts(MODEL_CONTAINER, container, error) &&
           hook_compare_messages(&compare, hook_messages[MODEL_CONTAINER], &versions, &edits) &&
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
    enum model_kind facts = resources ? MODEL_CONTAINER : kind;
    struct hook_versions versions = {
        .before = resources ? resources_of(before) : before,
        .after = resources ? resources_of(after) : after,
    };
    struct hook_compare compare = {.comparison = HOOK_COMPARE_EXACT, .arena = arena, .error = error};
    struct hook_edits *edits;
    return check_facts(facts, before, error) && check_facts(facts, after, error) &&
           hook_compare_messages(&compare, hook_messages[kind], &versions, &edits) &&
           hook_edits_run(edits, config, arena, out, error);
}
