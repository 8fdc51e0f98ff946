#include "core/gateway/metrics.h"

#include <stdlib.h>

#include "base/system/clock.h"
#include "core/calls/in_flight.h"
#include "core/events/hub.h"
#include "core/gateway/reload.h"
#include "core/plugins/describe.h"
#include "translate/walk/text_table.h"

/* Labels of calls that went to several runtimes. No runtime can have that name. */
#define SEVERAL "*"

static void add_oldest(const struct gateway *gateway, const struct runtime *runtime, struct metric_samples *samples)
{
    int64_t *oldest = calloc(method_count, sizeof *oldest);
    if (!oldest) {
        samples->incomplete = true;
        return;
    }
    in_flight_oldest_by_method(&gateway->server, runtime, oldest);
    for (unsigned i = 0; i < method_count; i++) {
        if (oldest[i] > 0) {
            metric_add(samples, METRIC_RPC_OLDEST, (double)(clock_ns() - oldest[i]) / (double)NANOSECONDS_A_SECOND,
                       (const char *[]){runtime->entry->name, methods[i].name});
        }
    }
    free(oldest);
}

static void add_losses(const struct runtime *runtime, struct metric_samples *samples)
{
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        const char *labels[] = {translation_rules[i].field, runtime->entry->name};
        uint64_t dropped = runtime->losses.rules[i].dropped + runtime->losses.rules[i].let_through;
        if (dropped > 0) {
            metric_add(samples, METRIC_TRANSLATION_DROPPED, (double)dropped, labels);
        }
        if (runtime->losses.rules[i].ignored > 0) {
            metric_add(samples, METRIC_TRANSLATION_IGNORED, (double)runtime->losses.rules[i].ignored, labels);
        }
        if (runtime->losses.rules[i].refused > 0) {
            metric_add(samples, METRIC_TRANSLATION_REFUSED, (double)runtime->losses.rules[i].refused, labels);
        }
    }
    if (runtime->losses.unknown_fields > 0) {
        metric_add(samples, METRIC_TRANSLATION_DROPPED, (double)runtime->losses.unknown_fields,
                   (const char *[]){"unknown", runtime->entry->name});
    }
}

static double stale_seconds(const struct runtime *runtime)
{
    int64_t taken_at;
    bool stale = runtime->state != RUNTIME_READY && last_known_taken_at(runtime->known.last_known, ID_POD, &taken_at);
    return stale ? (double)(clock_ms() - taken_at) / 1000 : 0;
}

/* A runtime, or its image service. */
static void add_peer(const struct gateway *gateway, const struct runtime *runtime, struct metric_samples *samples)
{
    bool known = runtime->met;
    const char *api = known ? dialects[runtime->dialect].name : "";
    const char *name[] = {runtime->entry->name};
    metric_add(samples, METRIC_RUNTIME_UP, runtime_passes_calls(runtime), name);
    metric_add(samples, METRIC_RUNTIME_HANGING, runtime->state == RUNTIME_HANGING, name);
    if (known) {
        metric_add(samples, METRIC_RUNTIME_INFO, 1,
                   (const char *[]){runtime->entry->name, runtime->version_name, runtime->version, api});
    }
    uint64_t again = runtime->connections > 0 ? runtime->connections - 1 : 0;
    metric_add(samples, METRIC_RUNTIME_RECONNECTS, (double)again, name);
    metric_add(samples, METRIC_UPSTREAM_IN_FLIGHT, runtime->calls, name);
    add_oldest(gateway, runtime, samples);
    add_losses(runtime, samples);
    rpc_describe(&runtime->ended, runtime->entry->name, api, samples);
}

static void add_runtime(const struct gateway *gateway, size_t position, struct metric_samples *samples)
{
    struct runtime *runtime = gateway->generation->runtimes[position];
    const char *name[] = {runtime->entry->name};
    add_peer(gateway, runtime, samples);
    metric_add(samples, METRIC_RUNTIME_PRIMARY, position == gateway->generation->map->primary, name);
    metric_add(samples, METRIC_LIST_STALE, stale_seconds(runtime), name);
    metric_add(samples, METRIC_PODS, (double)gateway_pods_of(gateway, runtime), name);
    if (runtime->images) {
        add_peer(gateway, runtime->images, samples);
    }
}

static void add_socket(struct gateway *gateway, const struct map_socket *entry, struct metric_samples *samples)
{
    const struct caller_socket *socket = callers_find_socket(&gateway->server.callers, entry->path);
    const char *labels[] = {entry->path};
    if (socket) {
        metric_add(samples, METRIC_SOCKET_CONNECTIONS, (double)atomic_load(&socket->connections), labels);
        metric_add(samples, METRIC_SOCKET_IN_FLIGHT, socket->in_flight, labels);
        metric_add(samples, METRIC_SOCKET_CALLS, (double)socket->calls, labels);
    }
}

void gateway_add_metrics(struct gateway *gateway, struct metric_samples *samples)
{
    const struct generation *generation = gateway->generation;
    for (size_t i = 0; i < generation->map->runtime_count; i++) {
        add_runtime(gateway, i, samples);
    }
    rpc_describe(&gateway->server.of_several, SEVERAL, SEVERAL, samples);
    rpc_describe(&gateway->server.of_none, "", "", samples);
    metric_add(samples, METRIC_RPC_IN_FLIGHT, gateway->server.calls, NULL);
    add_socket(gateway, &generation->map->listen, samples);
    for (size_t i = 0; i < generation->map->more_socket_count; i++) {
        add_socket(gateway, &generation->map->more_sockets[i], samples);
    }
    metric_add(samples, METRIC_EVENTS, (double)event_hub_passed(gateway->events), NULL);
    metric_add(samples, METRIC_MEMORY_LIMIT, (double)generation->map->limits.memory, NULL);
    plugin_set_add_metrics(&gateway->hooks.plugins, samples);
}

bool gateway_is_ready(const struct gateway *gateway)
{
    return gateway->phase == GATEWAY_SERVING && runtime_passes_calls(generation_primary(gateway->generation));
}
