#include "grace.h"

#include "base/log/log.h"
#include "core/calls/dispatch.h"

/* Long enough for a running runtime to answer; short enough that the wait for a missing one does no harm. */
#define FIRST_LOOK_MS 1000

/* The primary answered for the first time, or its grace is over. */
static void note_started(struct gateway *gateway)
{
    if (gateway->callbacks.started) {
        gateway->callbacks.started(gateway->callbacks.state);
        gateway->callbacks.started = NULL;
    }
    dispatch_unpark_all(&gateway->server);
}

static void on_grace_over(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, grace);
    const struct runtime *primary = generation_primary(gateway->generation);
    const struct runtime *late = primary->state == RUNTIME_READY && primary->images ? primary->images : primary;
    log_line(LOG_SERIOUS, "runtime %s: the primary%s did not start within its grace period; calls to it %s until it does",
             late->entry->name, late == primary ? "" : "'s image service", runtime_is_awaited(late) ? "wait" : "fail");
    gateway->server.primary_may_come = false;
    note_started(gateway);
}

static void on_first_look_over(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, first_look);
    gateway->server.others_may_come = false;
    dispatch_unpark_all(&gateway->server);
}

void gateway_primary_ready(struct gateway *gateway)
{
    struct runtime *primary = generation_primary(gateway->generation);
    if (primary->state != RUNTIME_READY) { /* its image service is */
        dispatch_unpark_all(&gateway->server);
        return;
    }
    if (runtime_serving(primary, SERVICE_IMAGE)->state == RUNTIME_READY) {
        worker_disarm(&gateway->worker, &gateway->grace);
        gateway->server.primary_may_come = false;
    }
    note_started(gateway);
}

void gateway_grace_begin(struct gateway *gateway)
{
    gateway->server.primary_may_come = gateway->server.others_may_come = true;
    gateway->grace.completion.run = on_grace_over;
    gateway->first_look.completion.run = on_first_look_over;
    worker_arm(&gateway->worker, &gateway->grace, gateway->generation->map->limits.startup_grace);
    worker_arm(&gateway->worker, &gateway->first_look, FIRST_LOOK_MS);
}

void gateway_grace_end(struct gateway *gateway)
{
    worker_disarm(&gateway->worker, &gateway->grace);
    worker_disarm(&gateway->worker, &gateway->first_look);
    gateway->server.primary_may_come = gateway->server.others_may_come = false;
    dispatch_unpark_all(&gateway->server);
}
