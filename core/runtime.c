#include "runtime.h"

#include <grpc/support/time.h>
#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "core/probe.h"
#include "core/transport.h"

/* While connected but not answering the probe, the runtime is asked again this often. */
#define PROBE_AGAIN_MS 1000
/* And this often when it said that it speaks no dialect that we know. */
#define UNSUITABLE_AGAIN_MS 10000

const char *runtime_state_name(enum runtime_state state)
{
    static const char *const names[] = {
        [RUNTIME_AWAY] = "away",
        [RUNTIME_PROBING] = "probing",
        [RUNTIME_READY] = "ready",
        [RUNTIME_UNSUITABLE] = "unsuitable",
    };
    return names[state];
}

static void set_state(struct runtime *runtime, enum runtime_state state)
{
    bool was_ready = runtime->state == RUNTIME_READY;
    if (runtime->state != state) {
        runtime->state = state;
        clock_gettime(CLOCK_MONOTONIC, &runtime->since);
    }
    if (runtime->changed && was_ready != (state == RUNTIME_READY)) {
        runtime->changed(runtime, runtime->changed_state);
    }
}

static void watch(struct runtime *runtime)
{
    grpc_channel_watch_connectivity_state(runtime->channel, runtime->connectivity, gpr_inf_future(GPR_CLOCK_MONOTONIC),
                                          runtime->worker->queue, &runtime->connectivity_changed);
}

static void on_probed(void *state, const struct probe_result *result)
{
    struct runtime *runtime = state;
    runtime->probe = NULL;
    if (result->found) {
        runtime->dialect = result->dialect;
        snprintf(runtime->version_name, sizeof runtime->version_name, "%s", result->name);
        snprintf(runtime->version, sizeof runtime->version, "%s", result->version);
        runtime->last_error = (struct error){0};
        runtime->loss_logged = false;
        log_line(LOG_SERIOUS, "runtime %s: ready, %s %s, speaks %s", runtime->entry->name, result->name, result->version,
                 dialects[result->dialect].name);
        set_state(runtime, RUNTIME_READY);
        return;
    }
    if (strcmp(runtime->last_error.message, result->error.message) != 0) {
        log_line(LOG_SERIOUS, "runtime %s: %s at %s: %s", runtime->entry->name,
                 result->unsuitable ? "speaks no CRI version that crigate knows" : "does not answer", runtime->entry->endpoint,
                 result->error.message);
    }
    runtime->last_error = result->error;
    set_state(runtime, result->unsuitable ? RUNTIME_UNSUITABLE : RUNTIME_PROBING);
    worker_arm(runtime->worker, &runtime->probe_again, result->unsuitable ? UNSUITABLE_AGAIN_MS : PROBE_AGAIN_MS);
}

static void start_probe(struct runtime *runtime)
{
    if (!runtime->probe && !runtime->closing) {
        runtime->probe = probe_start(runtime->entry, runtime->channel, runtime->worker->queue, on_probed, runtime);
        if (!runtime->probe) {
            worker_arm(runtime->worker, &runtime->probe_again, PROBE_AGAIN_MS);
        }
    }
}

static void on_probe_again(struct event *event, bool ok)
{
    struct runtime *runtime = event_owner(event, struct runtime, probe_again);
    (void)ok;
    if (runtime->connectivity == GRPC_CHANNEL_READY && runtime->state != RUNTIME_READY) {
        start_probe(runtime);
    }
}

static void lose(struct runtime *runtime)
{
    if (runtime->probe) {
        probe_cancel(runtime->probe);
        runtime->probe = NULL;
    }
    if (runtime->state != RUNTIME_AWAY) {
        log_line(LOG_SERIOUS, "runtime %s: connection to %s lost", runtime->entry->name, runtime->entry->endpoint);
        error_set(&runtime->last_error, STATUS_UNAVAILABLE, "connection to %s lost", runtime->entry->endpoint);
    } else if (runtime->connectivity == GRPC_CHANNEL_TRANSIENT_FAILURE && runtime->last_error.code == STATUS_OK) {
        log_line(LOG_SERIOUS, "runtime %s: nothing answers at %s yet; trying for ever", runtime->entry->name,
                 runtime->entry->endpoint);
        error_set(&runtime->last_error, STATUS_UNAVAILABLE, "nothing answers at %s", runtime->entry->endpoint);
    }
    set_state(runtime, RUNTIME_AWAY);
}

static void on_connectivity(struct event *event, bool ok)
{
    (void)ok;
    struct runtime *runtime = event_owner(event, struct runtime, connectivity_changed);
    if (runtime->closing) {
        return;
    }
    runtime->connectivity = grpc_channel_check_connectivity_state(runtime->channel, 1);
    if (runtime->connectivity == GRPC_CHANNEL_READY) {
        set_state(runtime, RUNTIME_PROBING);
        start_probe(runtime);
    } else {
        lose(runtime);
    }
    watch(runtime);
}

void runtime_start(struct runtime *runtime, const struct runtime_entry *entry, size_t index, struct worker *worker,
                   size_t message_size)
{
    *runtime = (struct runtime){
        .entry = entry,
        .index = index,
        .worker = worker,
        .connectivity_changed.run = on_connectivity,
        .probe_again.event.run = on_probe_again,
    };
    clock_gettime(CLOCK_MONOTONIC, &runtime->since);
    bool one_endpoint = strcmp(entry->endpoint, entry->image_endpoint) == 0;
    runtime->channel = transport_channel(entry->endpoint, message_size);
    runtime->image_channel = one_endpoint ? runtime->channel : transport_channel(entry->image_endpoint, message_size);
    runtime->connectivity = grpc_channel_check_connectivity_state(runtime->channel, 1);
    if (!one_endpoint) {
        grpc_channel_check_connectivity_state(runtime->image_channel, 1);
    }
    watch(runtime);
}

void runtime_stop(struct runtime *runtime)
{
    runtime->closing = true;
    runtime->changed = NULL;
    if (runtime->probe) {
        probe_cancel(runtime->probe);
        runtime->probe = NULL;
    }
    worker_disarm(runtime->worker, &runtime->probe_again);
    if (runtime->image_channel != runtime->channel) {
        grpc_channel_destroy(runtime->image_channel);
    }
    grpc_channel_destroy(runtime->channel);
}

grpc_channel *runtime_channel(const struct runtime *runtime, enum service service)
{
    return service == SERVICE_IMAGE ? runtime->image_channel : runtime->channel;
}

bool runtime_ready(const struct runtime *runtime, struct error *error)
{
    if (runtime->state == RUNTIME_READY) {
        return true;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const char *reason = runtime->last_error.code != STATUS_OK ? runtime->last_error.message : "not connected yet";
    return error_set(error, STATUS_UNAVAILABLE, "runtime %s is %s since %ld s: %s", runtime->entry->name,
                     runtime_state_name(runtime->state), (long)(now.tv_sec - runtime->since.tv_sec), reason);
}

void runtime_suspect(struct runtime *runtime)
{
    if (runtime->state == RUNTIME_READY) {
        log_line(LOG_SERIOUS, "runtime %s: no longer speaks %s; probing again", runtime->entry->name,
                 dialects[runtime->dialect].name);
        set_state(runtime, RUNTIME_PROBING);
        start_probe(runtime);
    }
}
