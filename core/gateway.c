#include "gateway.h"

#include <malloc.h>
#include <string.h>

#include "core/call.h"
#include "core/event_hub.h"
#include "core/gateway_state.h"
#include "core/log.h"
#include "core/outflow.h"
#include "core/owner.h"
#include "core/remember.h"
#include "core/transport.h"

/* After something this big the heap is given back to the system, when things have calmed down: page faults cost more than memory
   that waits for the next one. */
#define BIG ((size_t)1024 * 1024)
#define TRIM_AFTER_MS 2000

/* ---- the start-up grace of the primary ---- */

/* The primary answered for the first time, or its grace is over. */
static void settle(struct gateway *gateway)
{
    if (gateway->settled) {
        gateway->settled(gateway->settled_state);
        gateway->settled = NULL;
    }
    call_unpark_all(gateway);
}

static void on_grace_over(struct event *event, bool ok)
{
    (void)ok;
    struct gateway *gateway = event_owner(event, struct gateway, grace);
    log_line(LOG_SERIOUS, "runtime %s: the primary has not come within its start-up grace; calls to it fail until it does",
             generation_primary(gateway->generation)->entry->name);
    settle(gateway);
}

/* Long enough for a runtime that is there to say so; not so long that one that is not would be missed. */
#define FIRST_LOOK_MS 1000

static void on_first_look_over(struct event *event, bool ok)
{
    (void)ok;
    call_unpark_all(event_owner(event, struct gateway, first_look));
}

/* Nobody has to wait for the primary any more. */
static void greet_primary(struct gateway *gateway)
{
    worker_disarm(&gateway->worker, &gateway->grace);
    settle(gateway);
}

/* ---- what runtimes tell ---- */

static void on_changed(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    if (!gateway->generation || runtime->state != RUNTIME_READY) {
        return;
    }
    gateway_met(gateway, runtime);
    if (runtime == generation_primary(gateway->generation)) {
        greet_primary(gateway);
    } else {
        call_unpark_all(gateway);
    }
}

/* Listeners' streams come first: what the calls that waited do is to be heard of. */
static void on_runtime_changed(void *state, struct runtime *runtime)
{
    struct gateway *gateway = state;
    event_hub_runtime_changed(gateway->events, runtime);
    on_changed(state, runtime);
}

/* ---- memory ---- */

static void on_trim(struct event *event, bool ok)
{
    (void)event;
    (void)ok;
    malloc_trim(0);
}

void gateway_used(struct gateway *gateway, size_t memory)
{
    if (memory > BIG) {
        worker_arm(&gateway->worker, &gateway->trim, TRIM_AFTER_MS);
    }
}

/* ---- what runtimes hold ---- */

static struct remember_marks on_list_asked(void *state, struct runtime *runtime)
{
    return remember_marks(state, runtime);
}

static void on_listed(void *state, struct runtime *runtime, const struct method *method, struct bytes list,
                      struct remember_marks marks)
{
    bool pods = method->remember == REMEMBER_POD_LIST;
    gateway_used(state, list.len);
    if (pods && !runtime->replaced) {
        remember_places(state, runtime, pieces_of(&list));
    }
    remember_list(state, runtime, pods ? ID_POD : ID_CONTAINER, pieces_of(&list), marks);
}

/* ---- generations ---- */

static struct runtime *make_runtime(void *state, const struct runtime_entry *entry)
{
    struct gateway *gateway = state;
    struct runtime *runtime = runtime_new(entry, gateway->next_slot++, &gateway->worker, gateway->making->limits.message_size,
                                          &gateway->runtime_listener);
    /* What the process before has seen is read when it hands over: until then it may see more. */
    if (runtime && entry->when_away == WHEN_AWAY_LAST_KNOWN && !gateway->onlooker) {
        gateway_load(gateway, gateway->making, runtime);
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

size_t gateway_pods_of(const struct gateway *gateway, struct runtime *runtime)
{
    size_t indexed = id_index_count(gateway->index, ID_POD, runtime->slot);
    size_t seen = remember_count(runtime, ID_POD);
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
            gateway_forget_file(gateway, runtime);
        }
        if (now != runtime) {
            runtime->replaced = true;
            id_index_forget_runtime(gateway->index, runtime->slot);
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
            gateway_doubt_file(gateway, runtime);
            if (keeps) {
                remember_doubt(runtime);
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
    gateway->generation = next;
    forget_removed(gateway, before);
    relist_for_index(gateway);
    for (size_t i = 0; i < next->map->runtime_count; i++) {
        doubt_lists_that_lag(gateway, i, before);
    }
    event_hub_reload(gateway->events);
    generation_unref(before);
    gateway_save_soon(gateway);
    if (generation_primary(next)->state == RUNTIME_READY) {
        greet_primary(gateway);
    }
    return true;
}

/* ---- stop ---- */

/* How long the server's connections get to take leave when no call is left on them. */
#define GOODBYE_MS 1000

static void on_shutdown_deadline(struct event *event, bool ok)
{
    (void)ok;
    struct gateway *gateway = event_owner(event, struct gateway, shutdown_deadline);
    if (gateway->calls > 0) {
        log_line(LOG_SERIOUS, "%u calls did not end in time; cancelling them", gateway->calls);
    }
    grpc_server_cancel_all_calls(gateway->server);
}

/* A connection that does not take part in the leave-taking (one that never spoke HTTP/2, say) must not use up the grace. */
static void limit_shutdown(struct gateway *gateway)
{
    unsigned grace = gateway->generation->map->limits.shutdown_grace;
    if (gateway->calls == 0) {
        worker_arm(&gateway->worker, &gateway->shutdown_deadline, grace < GOODBYE_MS ? grace : GOODBYE_MS);
    } else if (gateway->bounded_stop) {
        worker_arm(&gateway->worker, &gateway->shutdown_deadline, grace);
    }
}

/* Calls outlive the server's connections by what they still have to hear from runtimes, for which they need the queue. */
static void close_if_idle(struct gateway *gateway)
{
    if (gateway->phase != GATEWAY_SHUT_DOWN || gateway->calls > 0) {
        return;
    }
    worker_disarm(&gateway->worker, &gateway->save);
    worker_disarm(&gateway->worker, &gateway->trim);
    gateway_save(gateway);
    generation_unref(gateway->generation);
    gateway->generation = NULL;
    grpc_server_destroy(gateway->server);
    worker_close(&gateway->worker);
}

static void on_shut_down(struct event *event, bool ok)
{
    (void)ok;
    struct gateway *gateway = event_owner(event, struct gateway, shut_down);
    gateway->phase = GATEWAY_SHUT_DOWN;
    worker_disarm(&gateway->worker, &gateway->shutdown_deadline);
    worker_disarm(&gateway->worker, &gateway->grace);
    worker_disarm(&gateway->worker, &gateway->first_look);
    call_unpark_all(gateway);
    close_if_idle(gateway);
}

/* Whether a call may yet make something on a runtime: one that says so, one of which that is not known, and one that is forwarded
   without being understood. */
static bool may_make(const struct gateway *gateway)
{
    const struct call *call = gateway->first;
    while (call && (call->state == CALL_REPLYING || (call->method && !remember_is_creation(call->method)))) {
        call = call->next;
    }
    return call != NULL;
}

/* The process that has taken over may believe lists again once nothing is made here any more. */
static void tell_if_quiet(struct gateway *gateway)
{
    if (gateway->left && gateway->deaf && gateway->quiet && !may_make(gateway)) {
        gateway->quiet(gateway->quiet_state);
        gateway->quiet = NULL;
    }
}

void gateway_calls_refused(struct gateway *gateway)
{
    gateway->deaf = true;
    tell_if_quiet(gateway);
}

void gateway_call_ended(struct gateway *gateway)
{
    gateway->calls--;
    tell_if_quiet(gateway);
    if (gateway->phase == GATEWAY_STOPPING && gateway->calls == 0) {
        limit_shutdown(gateway);
    }
    close_if_idle(gateway);
}

static void end_endless_streams(struct gateway *gateway)
{
    for (struct call *call = gateway->first; call; call = call->next) {
        if (call->outflow) {
            outflow_leave(call->outflow);
        }
    }
}

static void on_stop_asked(struct event *event, bool ok)
{
    (void)ok;
    struct gateway *gateway = event_owner(event, struct gateway, stop_asked);
    if (gateway->phase == GATEWAY_SHUT_DOWN) {
        return;
    }
    bool again = gateway->phase == GATEWAY_STOPPING;
    gateway->phase = GATEWAY_STOPPING;
    limit_shutdown(gateway);
    if (again) {
        return;
    }
    log_line(LOG_SERIOUS, "stopping; %u calls in flight", gateway->calls);
    end_endless_streams(gateway);
    event_hub_stop(gateway->events);
    grpc_server_shutdown_and_notify(gateway->server, gateway->worker.queue, &gateway->shut_down);
}

bool gateway_is_replying(const struct gateway *gateway)
{
    const struct call *call = gateway->first;
    while (call && call->state != CALL_REPLYING) {
        call = call->next;
    }
    return call != NULL;
}

void gateway_stop(struct gateway *gateway, bool bounded)
{
    if (bounded) {
        gateway->bounded_stop = true;
    }
    worker_post(&gateway->worker, &gateway->stop_asked);
}

/* ---- start ---- */

bool gateway_init(struct gateway *gateway, struct runtime_map *map, bool take_over)
{
    *gateway = (struct gateway){
        .onlooker = take_over,
        .predecessor = take_over,
        .events = event_hub_new(gateway),
        .filesystems = node_filesystems_new(),
        .index = id_index_new(),
        .places = pod_places_new(),
        .runtime_listener = {.state = gateway, .changed = on_runtime_changed, .list_asked = on_list_asked, .listed = on_listed},
        .grace.event.run = on_grace_over,
        .first_look.event.run = on_first_look_over,
        .save.event.run = gateway_on_save,
        .trim.event.run = on_trim,
        .shutdown_deadline.event.run = on_shutdown_deadline,
        .stop_asked.run = on_stop_asked,
        .shut_down.run = on_shut_down,
    };
    if (!gateway->events || !gateway->filesystems || !gateway->index || !gateway->places) {
        runtime_map_free(map);
        return false;
    }
    worker_init(&gateway->worker);
    gateway->server = transport_server(gateway->worker.queue, map->limits.message_size);
    grpc_server_start(gateway->server);
    worker_arm(&gateway->worker, &gateway->grace, map->limits.startup_grace);
    worker_arm(&gateway->worker, &gateway->first_look, FIRST_LOOK_MS);
    gateway->generation = make_generation(gateway, map);
    return gateway->generation && call_expect(gateway);
}

void gateway_run(struct gateway *gateway)
{
    worker_run(&gateway->worker);
    event_hub_free(gateway->events);
    node_filesystems_free(gateway->filesystems);
    id_index_free(gateway->index);
    pod_places_free(gateway->places);
}
