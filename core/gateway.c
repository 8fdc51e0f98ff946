#include "gateway.h"

#include <malloc.h>
#include <stdlib.h>

#include "core/call.h"
#include "core/log.h"
#include "core/transport.h"

struct runtime *gateway_primary(struct gateway *gateway)
{
    return &gateway->runtimes[gateway->map->primary];
}

/* ---- the start-up grace of the primary ---- */

static void unpark_all(struct gateway *gateway)
{
    struct call *call = gateway->parked;
    gateway->parked = NULL;
    while (call) {
        struct call *next = call->next_parked;
        call_unpark(call);
        call = next;
    }
}

static void on_grace_over(struct event *event, bool ok)
{
    (void)ok;
    struct gateway *gateway = event_owner(event, struct gateway, grace);
    log_line(LOG_SERIOUS, "runtime %s: the primary has not come within its start-up grace; calls to it fail until it does",
             gateway_primary(gateway)->entry->name);
    unpark_all(gateway);
}

static void on_runtime_changed(struct runtime *runtime, void *state)
{
    struct gateway *gateway = state;
    if (runtime == gateway_primary(gateway) && runtime->state == RUNTIME_READY) {
        worker_disarm(&gateway->worker, &gateway->grace);
        unpark_all(gateway);
    }
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
    unsigned grace = gateway->map->limits.shutdown_grace;
    worker_arm(&gateway->worker, &gateway->shutdown_deadline, gateway->calls == 0 && grace > GOODBYE_MS ? GOODBYE_MS : grace);
}

/* Calls outlive the server's connections by what they still have to hear from runtimes, for which they need the queue. */
static void close_if_idle(struct gateway *gateway)
{
    if (gateway->phase != GATEWAY_SHUT_DOWN || gateway->calls > 0) {
        return;
    }
    for (size_t i = 0; i < gateway->map->runtime_count; i++) {
        runtime_stop(&gateway->runtimes[i]);
    }
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
    unpark_all(gateway);
    close_if_idle(gateway);
}

void gateway_call_ended(struct gateway *gateway)
{
    gateway->calls--;
    if (gateway->phase == GATEWAY_STOPPING && gateway->calls == 0) {
        limit_shutdown(gateway);
    }
    close_if_idle(gateway);
}

static void on_stop_asked(struct event *event, bool ok)
{
    (void)ok;
    struct gateway *gateway = event_owner(event, struct gateway, stop_asked);
    log_line(LOG_SERIOUS, "stopping; %u calls in flight", gateway->calls);
    gateway->phase = GATEWAY_STOPPING;
    limit_shutdown(gateway);
    grpc_server_shutdown_and_notify(gateway->server, gateway->worker.queue, &gateway->shut_down);
}

void gateway_stop(struct gateway *gateway)
{
    worker_post(&gateway->worker, &gateway->stop_asked);
}

/* ---- start ---- */

static void start_runtimes(struct gateway *gateway)
{
    const struct runtime_map *map = gateway->map;
    for (size_t i = 0; i < map->runtime_count; i++) {
        runtime_start(&gateway->runtimes[i], &map->runtimes[i], i, &gateway->worker, map->limits.message_size);
        gateway->runtimes[i].changed = on_runtime_changed;
        gateway->runtimes[i].changed_state = gateway;
    }
}

bool gateway_init(struct gateway *gateway, const struct runtime_map *map)
{
    *gateway = (struct gateway){
        .map = map,
        .runtimes = calloc(map->runtime_count, sizeof *gateway->runtimes),
        .filesystems = node_filesystems_new(),
        .grace.event.run = on_grace_over,
        .shutdown_deadline.event.run = on_shutdown_deadline,
        .stop_asked.run = on_stop_asked,
        .shut_down.run = on_shut_down,
    };
    if (!gateway->runtimes || !gateway->filesystems) {
        return false;
    }
    worker_init(&gateway->worker);
    gateway->server = transport_server(gateway->worker.queue, map->limits.message_size);
    grpc_server_start(gateway->server);
    worker_arm(&gateway->worker, &gateway->grace, map->limits.startup_grace);
    start_runtimes(gateway);
    return call_expect(gateway);
}

void gateway_run(struct gateway *gateway)
{
    worker_run(&gateway->worker);
    node_filesystems_free(gateway->filesystems);
    free(gateway->runtimes);
}
