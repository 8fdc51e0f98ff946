#include "gateway.h"

#include <string.h>

#include "core/base/log.h"
#include "core/calls/call.h"
#include "core/calls/connection_share.h"
#include "core/calls/idle_callers.h"
#include "core/calls/memory_limit.h"
#include "core/events/hub.h"
#include "core/gateway/stop.h"
#include "core/map/owner.h"
#include "core/memory/learn.h"
#include "core/memory/resume.h"
#include "core/memory/save.h"
#include "core/runtimes/relist.h"
#include "core/transport/c_core.h"

/* ---- the start-up grace of the primary ---- */

/* The primary answered for the first time, or its grace is over. */
static void note_started(struct gateway *gateway)
{
    gateway->server.primary_may_come = false;
    if (gateway->callbacks.started) {
        gateway->callbacks.started(gateway->callbacks.state);
        gateway->callbacks.started = NULL;
    }
    call_unpark_all(&gateway->server);
}

static void on_grace_over(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, grace);
    log_line(LOG_SERIOUS, "runtime %s: the primary has not come within its start-up grace; calls to it fail until it does",
             generation_primary(gateway->generation)->entry->name);
    note_started(gateway);
}

/* Long enough for a runtime that is there to say so; not so long that one that is not would be missed. */
#define FIRST_LOOK_MS 1000

static void on_first_look_over(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, first_look);
    gateway->server.others_may_come = false;
    call_unpark_all(&gateway->server);
}

/* Nobody has to wait for the primary any more. */
static void greet_primary(struct gateway *gateway)
{
    worker_disarm(&gateway->worker, &gateway->grace);
    note_started(gateway);
}

/* ---- what runtimes tell ---- */

static void on_changed(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    if (!gateway->generation || runtime->state != RUNTIME_READY) {
        return;
    }
    knowledge_met(&gateway->knowledge, runtime);
    if (runtime == generation_primary(gateway->generation)) {
        greet_primary(gateway);
    } else {
        call_unpark_all(&gateway->server);
    }
}

/* Listeners' streams come first: what the calls that waited do is to be heard of. */
static void on_runtime_changed(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    event_hub_runtime_changed(gateway->events, runtime);
    on_changed(state, runtime);
}

static void on_let_go(void *state)
{
    memory_trim_used(&((struct gateway *)state)->server.trim, SIZE_MAX);
}

/* ---- what runtimes hold ---- */

static struct list_asked_at on_list_asked(void *state, struct runtime *runtime)
{
    const struct gateway *gateway = state;
    return list_asked_at(&gateway->knowledge, runtime);
}

static void on_listed(void *state, struct runtime *runtime, const struct method *method, struct bytes list,
                      struct list_asked_at marks)
{
    struct gateway *gateway = state;
    bool pods = method->remember == REMEMBER_POD_LIST;
    memory_trim_used(&gateway->server.trim, list.len);
    if (pods && !runtime->replaced) {
        learn_places(&gateway->knowledge, runtime, pieces_of(&list));
    }
    learn_list(&gateway->knowledge, runtime, pods ? ID_POD : ID_CONTAINER, pieces_of(&list), marks);
}

static struct runtime_task *on_list_all(void *state, struct runtime *runtime, runtime_lists_done *done)
{
    return relist_start(runtime, &(struct relist_callbacks){.state = state, .asked = on_list_asked, .listed = on_listed}, done);
}

/* ---- generations ---- */

static struct runtime *make_runtime(void *state, const struct runtime_entry *entry)
{
    struct gateway *gateway = state;
    struct runtime *runtime = runtime_new(entry, gateway->next_slot++, &gateway->worker, gateway->making->limits.message_size,
                                          &gateway->runtime_callbacks);
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

size_t gateway_pods_of(const struct gateway *gateway, struct runtime *runtime)
{
    size_t indexed = id_index_count(gateway->knowledge.index, ID_POD, runtime->slot);
    size_t seen = learn_count(runtime, ID_POD);
    return indexed > seen ? indexed : seen;
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
    if (pods == 0 || is_forced(map, entry->name)) {
        return true;
    }
    if (!next) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "runtime %s would go, but still owns %zu pods; remove them first, or say {name: %s, force: true}",
                         entry->name, pods, entry->name);
    }
    return next->plain_ids == entry->plain_ids ||
           error_set(error, STATUS_FAILED_PRECONDITION,
                     "the ids of runtime %s would change under the %zu pods that it owns; say ids: %s for it", entry->name, pods,
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
        }
        if (now != runtime) {
            runtime->replaced = true;
            id_index_forget_runtime(gateway->knowledge.index, runtime->slot);
        }
    }
}

/* The index may not have been needed until now, or not for the same runtimes: it has to learn what they hold. */
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

/* While no lists of a runtime are kept, things are made there that an older list lacks. */
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
            "limits.message_size: %zu bytes hold for runtimes that the reload brings; callers, and runtimes that stay, keep the "
            "size that they had until crigate is restarted or taken over from",
            map->limits.message_size);
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
    generation_unref(before);
    knowledge_save_soon(&gateway->knowledge);
    if (generation_primary(next)->state == RUNTIME_READY) {
        greet_primary(gateway);
    }
    return true;
}

/* ---- start ---- */

static void on_listen(void *state, struct call *call)
{
    event_hub_listen(((struct gateway *)state)->events, call);
}

static struct call_server make_server(struct gateway *gateway)
{
    return (struct call_server){
        .worker = &gateway->worker,
        .knowledge = &gateway->knowledge,
        .node = node_filesystems_node(gateway->filesystems),
        .callbacks = {.state = gateway, .listen = on_listen},
        .primary_may_come = true,
        .others_may_come = true,
        .trim.worker = &gateway->worker,
    };
}

bool gateway_init(struct gateway *gateway, struct runtime_map *map, bool take_over, const struct gateway_callbacks *callbacks)
{
    *gateway = (struct gateway){
        .callbacks = *callbacks,
        .events = event_hub_new(&gateway->server),
        .filesystems = node_filesystems_new(),
        .runtime_callbacks = {.state = gateway, .changed = on_runtime_changed, .let_go = on_let_go, .list_all = on_list_all},
        .grace.completion.run = on_grace_over,
        .first_look.completion.run = on_first_look_over,
    };
    bool has_knowledge = knowledge_init(&gateway->knowledge, &gateway->worker);
    gateway->knowledge.standby = gateway->knowledge.predecessor_active = take_over;
    if (!has_knowledge || !gateway->events || !gateway->filesystems) {
        runtime_map_free(map);
        return false;
    }
    worker_init(&gateway->worker);
    gateway->server = make_server(gateway);
    gateway_stop_init(gateway);
    memory_limit_begin(&gateway->server);
    const struct transport_bounds bounds = {
        .message_size = map->limits.message_size,
        .streams = connection_share_of(map->limits.calls),
    };
    gateway->server.grpc = transport_server(gateway->worker.queue, &bounds);
    grpc_server_start(gateway->server.grpc);
    worker_arm(&gateway->worker, &gateway->grace, map->limits.startup_grace);
    worker_arm(&gateway->worker, &gateway->first_look, FIRST_LOOK_MS);
    put_in_force(gateway, make_generation(gateway, map));
    if (!gateway->generation) {
        return false;
    }
    idle_callers_begin(&gateway->server);
    return call_expect(&gateway->server);
}

bool gateway_run(struct gateway *gateway)
{
    if (!worker_run(&gateway->worker)) {
        if (gateway->knowledge.generation) { /* without, it is saved: only runtimes' connections were left */
            knowledge_save(&gateway->knowledge);
        }
        return false;
    }
    event_hub_free(gateway->events);
    node_filesystems_free(gateway->filesystems);
    knowledge_free(&gateway->knowledge);
    return true;
}
