#include "translate/compose/working_sets.h"

/* cri-dockerd and dockershim report Docker's usage as the working set: with page cache, which the kernel can take back at any
   time. A kubelet evicts pods by that number. */
#include <json-c/linkhash.h>
#include <stdlib.h>

#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/bytes/packing.h"
#include "translate/compose/container_cgroups.h"
#include "translate/walk/node.h"

/* More than a node has; of longer lists nothing is looked up. */
#define MOST_CONTAINERS 1000

/* More than a node has pods. */
#define MOST_PARENTS 4096
#define LONGEST_PARENT 512
#define LONGEST_UID 64

/* ---- the cgroups of pods, from the requests that made them ---- */

static void free_entry(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
    free((void *)(uintptr_t)lh_entry_v(entry));
}

static const char *known_parent(const struct compose_memory *memory, const char *uid)
{
    void *parent = NULL;
    return memory->cgroup_parents && lh_table_lookup_ex(memory->cgroup_parents, uid, &parent) ? parent : NULL;
}

/* A pod that is made again, as after a reboot, keeps its uid and its cgroup; what differs replaces what was known. Without
   memory, nothing is known. */
static void learn_parent(struct compose_memory *memory, const char *uid, const char *parent)
{
    const char *known = known_parent(memory, uid);
    size_t length = strlen(uid);
    if (length == 0 || length > LONGEST_UID || strlen(parent) > LONGEST_PARENT || (known && strcmp(known, parent) == 0)) {
        return;
    }
    if (known) {
        lh_table_delete(memory->cgroup_parents, uid);
    }
    if (memory->cgroup_parents && lh_table_length(memory->cgroup_parents) >= MOST_PARENTS) {
        lh_table_free(memory->cgroup_parents);
        memory->cgroup_parents = NULL;
    }
    if (!memory->cgroup_parents) {
        memory->cgroup_parents = lh_kchar_table_new(16, free_entry);
    }
    char *key = strdup(uid);
    char *value = strdup(parent);
    if (!memory->cgroup_parents || !key || !value || lh_table_insert(memory->cgroup_parents, key, value) != 0) {
        free(key);
        free(value);
    }
}

/* RunPodSandbox: its answer passes, and the pod's cgroup is remembered, which a plugin may have chosen. */
bool compose_cgroup_parent(struct composing *composing, struct error *error)
{
    struct bytes bytes;
    if (!composing_sent(composing, &bytes, error)) {
        return false;
    }
    const Model__RunPodSandboxRequest *request =
        composing_decode(composing, &model__run_pod_sandbox_request__descriptor, bytes, error);
    if (request && request->config && request->config->metadata && request->config->linux &&
        *request->config->linux->cgroup_parent) {
        learn_parent(composing->memory, request->config->metadata->uid, request->config->linux->cgroup_parent);
    }
    return request != NULL;
}

/* ---- statistics ---- */

static const char *pod_uid(const Model__ContainerAttributes *attributes)
{
    for (size_t i = 0; i < attributes->n_labels; i++) {
        if (strcmp(attributes->labels[i]->key, "io.kubernetes.pod.uid") == 0) {
            return attributes->labels[i]->value;
        }
    }
    return "";
}

/* Where the container may be; of none if the runtime did not report a working set of it. */
static bool look_where(struct composing *composing, const Model__ContainerStats *stats, struct container_memory *container,
                       struct error *error)
{
    *container = (struct container_memory){0};
    if (!stats->attributes || !stats->memory || !stats->memory->working_set_bytes) {
        return true;
    }
    const char **paths = composing_alloc(composing, CONTAINER_CGROUPS * sizeof *paths, error);
    if (!paths) {
        return false;
    }
    const char *uid = pod_uid(stats->attributes);
    const struct container_place place = {
        .id = bytes_of_string(stats->attributes->id),
        .uid = bytes_of_string(uid),
        .parent = bytes_of_string(known_parent(composing->memory, uid)),
    };
    container->count = container_cgroups(composing->arena, &place, paths);
    container->cgroups = paths;
    return true;
}

/* `changed`: one of them has another working set now. */
static bool correct(struct composing *composing, Model__ContainerStats *const *stats, size_t count, bool *changed,
                    struct error *error)
{
    const struct node *node = composing->node;
    *changed = false;
    if (!node || !node->memory_of_containers || count == 0 || count > MOST_CONTAINERS) {
        return true;
    }
    struct container_memory *containers = composing_alloc(composing, count * sizeof *containers, error);
    if (!containers) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!look_where(composing, stats[i], &containers[i], error)) {
            return false;
        }
    }
    node->memory_of_containers(node->state, containers, count);
    for (size_t i = 0; i < count; i++) {
        if (containers[i].known) {
            stats[i]->memory->working_set_bytes->value = containers[i].working_set;
            *changed = true;
        }
    }
    return true;
}

/* Of ListContainerStats. */
bool compose_working_sets(struct composing *composing, struct error *error)
{
    bool changed;
    Model__ListContainerStatsResponse *response =
        composing_received(composing, &model__list_container_stats_response__descriptor, error);
    return response && correct(composing, response->stats, response->n_stats, &changed, error) &&
           (!changed || composing_answer(composing, &response->base, error));
}

/* Of ContainerStats. */
bool compose_working_set(struct composing *composing, struct error *error)
{
    bool changed;
    Model__ContainerStatsResponse *response = composing_received(composing, &model__container_stats_response__descriptor, error);
    return response && correct(composing, &response->stats, response->stats ? 1 : 0, &changed, error) &&
           (!changed || composing_answer(composing, &response->base, error));
}

bool working_sets_correct(struct composing *composing, struct bytes list, struct bytes *corrected, struct error *error)
{
    bool changed;
    *corrected = list;
    const struct method *method = method_by_name("ListContainerStats");
    if (composition_for(method, COMPOSE_ANSWERED, composing->reported_name) != compose_working_sets) {
        return true;
    }
    Model__ListContainerStatsResponse *response =
        composing_decode(composing, &model__list_container_stats_response__descriptor, list, error);
    return response && correct(composing, response->stats, response->n_stats, &changed, error) &&
           (!changed || arena_pack(composing->arena, &response->base, corrected) || error_no_memory(error));
}
