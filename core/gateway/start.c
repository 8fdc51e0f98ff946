#include "start.h"

#include "base/system/descriptor.h"
#include "core/calls/dispatch.h"
#include "core/calls/health.h"
#include "core/events/hub.h"
#include "core/gateway/grace.h"
#include "core/gateway/reload.h"
#include "core/gateway/stop.h"
#include "core/knowledge/learn.h"
#include "core/knowledge/place.h"
#include "core/knowledge/resume.h"
#include "core/knowledge/save.h"
#include "core/runtimes/relist.h"

/* ---- what runtimes report ---- */

static void on_changed(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    if (gateway->generation && runtime->state != RUNTIME_READY) {
        dispatch_unpark_all(&gateway->server); /* calls that waited for its answer to the probe */
    }
    if (!gateway->generation || runtime->state != RUNTIME_READY) {
        return;
    }
    const struct runtime *primary = generation_primary(gateway->generation);
    if (!runtime->entry->only_images) {
        knowledge_met(&gateway->knowledge, runtime);
    }
    if (runtime == primary || runtime == primary->images) {
        gateway_primary_ready(gateway);
    } else {
        dispatch_unpark_all(&gateway->server);
    }
}

/* Listeners' streams are served first, so that the effects of the waiting calls are reported. */
static void on_runtime_changed(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    if (!runtime->entry->only_images) {
        event_hub_runtime_changed(gateway->events, runtime);
    }
    on_changed(state, runtime);
    if (gateway->generation) {
        health_changed(&gateway->server);
        gateway->callbacks.changed(gateway->callbacks.state);
    }
}

static void on_let_go(void *state)
{
    memory_trim_used(&((struct gateway *)state)->server.trim, SIZE_MAX);
}

/* What plugins must know of its pods goes with them. */
static bool on_may_move(void *state, struct runtime *runtime, const struct docker_candidate *to, struct error *error)
{
    struct gateway *gateway = state;
    bool moves = runtime->connection.docker != NULL;
    if (!place_may_move(&gateway->knowledge, runtime, to, error)) {
        return false;
    }
    if (moves && gateway->hooks.files == FILES_OURS) {
        hooks_forget_runtime(&gateway->hooks, gateway->generation->map, runtime);
    } else {
        hooks_part_from_runtime(&gateway->hooks,
                                runtime); /* its file is the place's, and another process's while one takes over */
    }
    return true;
}

/* ---- what runtimes hold ---- */

static struct list_asked_at on_list_asked(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    if (gateway->generation && !runtime->replaced) {
        hooks_list_asked(&gateway->hooks, gateway->generation->map, runtime);
    }
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
    if (pods) {
        place_listed(&gateway->knowledge, runtime);
    }
    hooks_listed(&gateway->hooks, runtime, pods ? ID_POD : ID_CONTAINER, list);
}

static struct runtime_task *on_list_all(void *state, struct runtime *runtime, runtime_lists_done *done)
{
    return relist_start(runtime, &(struct relist_callbacks){.state = state, .asked = on_list_asked, .listed = on_listed}, done);
}

/* ---- start and end ---- */

static void on_listen(void *state, struct call *call)
{
    event_hub_listen(((struct gateway *)state)->events, call);
}

static struct call_server make_server(struct gateway *gateway)
{
    return (struct call_server){
        .worker = &gateway->worker,
        .knowledge = &gateway->knowledge,
        .hooks = &gateway->hooks,
        .node = node_filesystems_node(gateway->filesystems),
        .callbacks = {.state = gateway, .listen = on_listen},
        .trim.worker = &gateway->worker,
    };
}

bool gateway_init(struct gateway *gateway, struct runtime_map *map, bool take_over, const struct gateway_callbacks *callbacks)
{
    *gateway = (struct gateway){
        .callbacks = *callbacks,
        .handover = -1,
        .events = event_hub_new(&gateway->server),
        .filesystems = node_filesystems_new(),
        .runtime_callbacks = {.state = gateway,
                              .changed = on_runtime_changed,
                              .let_go = on_let_go,
                              .may_move = on_may_move,
                              .list_all = on_list_all},
    };
    bool has_knowledge = knowledge_init(&gateway->knowledge, &gateway->worker);
    gateway->knowledge.standby = gateway->knowledge.predecessor_active = take_over;
    if (!has_knowledge || !gateway->events || !gateway->filesystems) {
        runtime_map_free(map);
        return false;
    }
    worker_init(&gateway->worker);
    hooks_init(&gateway->hooks, &gateway->worker, take_over, gateway_hooks_idle, gateway);
    gateway->server = make_server(gateway);
    gateway_stop_init(gateway);
    if (!gateway_first_generation(gateway, map)) {
        return false;
    }
    gateway_grace_begin(gateway);
    slow_calls_begin(&gateway->slow, &gateway->server);
    return dispatch_begin(&gateway->server);
}

bool gateway_run(struct gateway *gateway)
{
    if (!worker_run(&gateway->worker)) {
        if (gateway->knowledge.generation) { /* without, it is saved: only runtimes' connections were left */
            knowledge_save(&gateway->knowledge);
            hooks_save(&gateway->hooks, gateway->generation);
        }
        return false;
    }
    event_hub_free(gateway->events);
    node_filesystems_free(gateway->filesystems);
    descriptor_close(&gateway->handover);
    knowledge_free(&gateway->knowledge);
    return true;
}
