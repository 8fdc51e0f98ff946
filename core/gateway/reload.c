#include "reload.h"

#include <string.h>

#include "base/log/log.h"
#include "core/calls/health.h"
#include "core/calls/pulls.h"
#include "core/events/hub.h"
#include "core/gateway/grace.h"
#include "core/knowledge/learn.h"
#include "core/knowledge/place.h"
#include "core/knowledge/resume.h"
#include "core/knowledge/save.h"

static struct runtime *make_runtime(void *state, const struct runtime_entry *entry)
{
    struct gateway *gateway = state;
    struct runtime *runtime = runtime_new(entry, gateway->next_slot++, &gateway->worker, gateway->making->limits.message_size,
                                          &gateway->runtime_callbacks);
    if (runtime) {
        place_recall(&gateway->knowledge, gateway->making, runtime);
    }
    /* What the process before has seen is read when it hands over: until then it may see more. */
    if (runtime && entry->when_away == WHEN_AWAY_LAST_KNOWN && !gateway->knowledge.standby) {
        knowledge_load(&gateway->knowledge, gateway->making, runtime);
    }
    return runtime;
}

static struct generation *make_generation(struct gateway *gateway, struct runtime_map *map)
{
    gateway->making = map;
    struct generation *generation = generation_new(map, gateway->generation, make_runtime, gateway);
    gateway->making = NULL;
    return generation;
}

static void put_in_force(struct gateway *gateway, struct generation *generation)
{
    gateway->generation = gateway->knowledge.generation = gateway->server.generation = generation;
}

bool gateway_first_generation(struct gateway *gateway, struct runtime_map *map)
{
    put_in_force(gateway, make_generation(gateway, map));
    return gateway->generation != NULL;
}

size_t gateway_pods_of(const struct gateway *gateway, struct runtime *runtime)
{
    return place_pods(&gateway->knowledge, runtime);
}

static bool is_forced(const struct runtime_map *map, const char *name)
{
    for (size_t i = 0; i < map->removed_by_force_count; i++) {
        if (strcmp(map->removed_by_force[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* A runtime whose pods a kubelet still manages must not vanish with them, nor may their ids change. */
static bool may_replace_one(const struct gateway *gateway, size_t position, const struct runtime_map *map, struct error *error)
{
    const struct generation *now = gateway->generation;
    const struct runtime_entry *entry = &now->map->runtimes[position];
    const struct runtime_entry *next = runtime_map_find(map, bytes_of_string(entry->name));
    size_t pods = gateway_pods_of(gateway, now->runtimes[position]);
    bool may_get_pods = gateway->knowledge.predecessor_active;
    if ((pods == 0 && !may_get_pods) || is_forced(map, entry->name)) {
        return true;
    }
    if (!next && pods == 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "runtime %s would be removed, but the process before may still create pods there", entry->name);
    }
    if (!next) {
        return error_set(
            error, STATUS_FAILED_PRECONDITION,
            "runtime %s would be removed, but still owns %zu pods; remove them first, or set {name: %s, force: true}",
            entry->name, pods, entry->name);
    }
    return next->plain_ids == entry->plain_ids ||
           error_set(error, STATUS_FAILED_PRECONDITION,
                     "the ids of runtime %s would change under the %zu pods that it owns; set ids: %s for it", entry->name, pods,
                     entry->plain_ids ? "plain" : "prefixed");
}

static bool may_replace(const struct gateway *gateway, const struct runtime_map *map, struct error *error)
{
    const struct generation *now = gateway->generation;
    for (size_t i = 0; i < now->map->runtime_count; i++) {
        if (!may_replace_one(gateway, i, map, error)) {
            return false;
        }
    }
    return true;
}

/* Everything that is known of plain ids is learned again under the new roles. */
static void forget_removed(struct gateway *gateway, const struct generation *before)
{
    for (size_t i = 0; i < before->map->runtime_count; i++) {
        struct runtime *runtime = before->runtimes[i];
        const struct runtime *now = generation_find(gateway->generation, before->map->runtimes[i].name);
        if (!now) {
            knowledge_forget_file(&gateway->knowledge, runtime);
            hooks_forget_runtime(&gateway->hooks, before->map, runtime);
        }
        if (now != runtime) {
            hooks_part_from_runtime(&gateway->hooks, runtime);
            runtime->replaced = true;
            runtime_serving(runtime, SERVICE_IMAGE)->replaced = true;
            id_index_forget_runtime(gateway->knowledge.index, runtime->slot);
        }
    }
}

/* The index may not have been needed until now, or not for the same runtimes: it must learn what they hold. */
static void relist_for_index(struct gateway *gateway)
{
    const struct generation *generation = gateway->generation;
    for (size_t i = 0; i < generation->map->runtime_count && generation->plain_count > 1; i++) {
        runtime_relist(generation->runtimes[i]);
    }
}

static bool keeps_lists(const struct generation *generation, size_t position)
{
    return generation->map->runtimes[position].when_away == WHEN_AWAY_LAST_KNOWN;
}

/* While no lists of a runtime are kept, things are created there that an older list lacks. */
static void doubt_lists_that_lag(struct gateway *gateway, size_t position, const struct generation *before)
{
    struct runtime *runtime = gateway->generation->runtimes[position];
    for (size_t i = 0; i < before->map->runtime_count; i++) {
        bool keeps = keeps_lists(gateway->generation, position);
        if (before->runtimes[i] == runtime && keeps_lists(before, i) != keeps) {
            knowledge_doubt_file(&gateway->knowledge, runtime);
            if (keeps) {
                learn_doubt(runtime);
            }
        }
    }
}

/* It is a setting of connections, which a reload does not touch. */
static void note_message_size(const struct runtime_map *before, const struct runtime_map *map)
{
    if (before->limits.message_size != map->limits.message_size) {
        log_line(
            LOG_SERIOUS,
            "limits.message_size: %zu bytes apply to the runtimes that this reload adds; callers and the other runtimes keep the "
            "old size until crigate is restarted or another process takes over",
            map->limits.message_size);
    }
}

/* Their calls are refused from now on. */
static void close_removed_sockets(const struct gateway *gateway)
{
    const struct runtime_map *map = gateway->generation->map;
    struct caller *caller;
    LIST_FOREACH(caller, &gateway->server.callers.all, others)
    {
        if (!runtime_map_socket(map, caller->socket->path)) {
            caller_shut_down(caller);
        }
    }
}

bool gateway_reload(struct gateway *gateway, struct runtime_map *map, struct error *error)
{
    if (!may_replace(gateway, map, error)) {
        runtime_map_free(map);
        return false;
    }
    struct generation *next = make_generation(gateway, map);
    if (!next) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    struct generation *before = gateway->generation;
    note_message_size(before->map, map);
    event_hub_part(gateway->events, next);
    put_in_force(gateway, next);
    forget_removed(gateway, before);
    relist_for_index(gateway);
    for (size_t i = 0; i < next->map->runtime_count; i++) {
        doubt_lists_that_lag(gateway, i, before);
    }
    event_hub_reload(gateway->events);
    close_removed_sockets(gateway);
    generation_unref(before);
    gateway->callbacks.changed(gateway->callbacks.state);
    health_changed(&gateway->server);
    pulls_reloaded(&gateway->server);
    knowledge_save_soon(&gateway->knowledge);
    if (generation_primary(next)->state == RUNTIME_READY) {
        gateway_primary_ready(gateway);
    }
    return true;
}
