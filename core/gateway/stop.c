#include "stop.h"

#include <grpc/grpc.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/calls/dispatch.h"
#include "core/calls/in_flight.h"
#include "core/events/hub.h"
#include "core/gateway/grace.h"
#include "core/knowledge/save.h"
#include "core/plugins/after.h"

/* How long the server's connections may take to close when no call is left on them. */
#define GOODBYE_MS 1000
/* How often to check whether any call still makes progress, when calls may take as long as they need. */
#define LOOK_AGAIN_MS 400
/* How long after calls were cancelled before their connections are shut down, and how long after that before the process ends
   anyway. */
#define HANG_UP_AFTER_MS 100
#define ABANDON_AFTER_MS 400

/* Whether waiting for calls is pointless: none makes progress, and none has ended since the last check. */
static bool all_are_stuck(struct gateway *gateway)
{
    bool gets_on = in_flight_gets_on(&gateway->server);
    bool stuck = !gets_on && gateway->stuck == gateway->server.calls;
    gateway->stuck = gets_on ? 0 : gateway->server.calls;
    return stuck;
}

/* ---- the end, step by step ---- */

static void wait_on(struct gateway *gateway, enum gateway_ending ending, int64_t milliseconds)
{
    gateway->ending = ending;
    worker_arm(&gateway->worker, &gateway->shutdown_deadline, milliseconds);
}

static void cancel_calls(struct gateway *gateway)
{
    if (gateway->server.calls > 0) {
        log_line(LOG_SERIOUS, "%u calls did not end in time; cancelling them", gateway->server.calls);
    }
    if (after_pending(&gateway->hooks.after) > 0) {
        log_line(LOG_SERIOUS, "%zu hooks after calls did not end in time; cancelling them", after_pending(&gateway->hooks.after));
    }
    grpc_server_cancel_all_calls(gateway->server.grpc);
    wait_on(gateway, GATEWAY_CANCELLED, HANG_UP_AFTER_MS);
    after_cancel(&gateway->hooks.after);
}

static void shut_down_callers(struct callers *callers)
{
    struct caller *caller;
    LIST_FOREACH(caller, &callers->all, others)
    {
        caller_shut_down(caller);
    }
}

static void on_shutdown_deadline(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, shutdown_deadline);
    switch (gateway->ending) {
    case GATEWAY_WAITS:
        if (!gateway->bounded_stop && gateway->server.calls > 0 && !all_are_stuck(gateway)) {
            wait_on(gateway, GATEWAY_WAITS, LOOK_AGAIN_MS);
        } else {
            cancel_calls(gateway);
        }
        break;
    case GATEWAY_CANCELLED:
        /* C core ends no reply before the caller has taken what was written of it. */
        shut_down_callers(&gateway->server.callers);
        wait_on(gateway, GATEWAY_HUNG_UP, ABANDON_AFTER_MS);
        break;
    case GATEWAY_HUNG_UP:
        log_line(LOG_SERIOUS, "connections did not end in time; exiting anyway");
        worker_abandon(&gateway->worker);
        break;
    }
}

/* A connection that does not react to GOAWAY (one that never spoke HTTP/2, for example) must not use up the whole grace. */
static void limit_shutdown(struct gateway *gateway)
{
    int64_t grace = gateway->generation->map->limits.shutdown_grace;
    int64_t left = grace - (clock_ns() - gateway->stop_began) / NANOSECONDS_A_MILLISECOND;
    if (gateway->ending == GATEWAY_WAITS) {
        bool idle = gateway->server.calls == 0 && after_pending(&gateway->hooks.after) == 0;
        int64_t most = idle && grace > GOODBYE_MS ? GOODBYE_MS : grace;
        wait_on(gateway, GATEWAY_WAITS, left < 0 ? 0 : left < most ? left : most);
    }
}

/* Calls live on after the server's connections until runtimes have answered them, for which they need the queue. */
static void close_if_idle(struct gateway *gateway)
{
    if (gateway->phase != GATEWAY_SHUT_DOWN || gateway->server.calls > 0 || atomic_load(&gateway->server.callers.count) > 0 ||
        after_pending(&gateway->hooks.after) > 0) {
        return;
    }
    hooks_save(&gateway->hooks, gateway->generation);
    hooks_clear(&gateway->hooks);
    dispatch_end(&gateway->server);
    slow_calls_end(&gateway->slow);
    knowledge_save(&gateway->knowledge);
    worker_disarm(&gateway->worker, &gateway->knowledge.save);
    generation_unref(gateway->generation);
    gateway->generation = gateway->knowledge.generation = gateway->server.generation = NULL;
    worker_close(&gateway->worker);
}

static void on_shut_down(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, shut_down);
    gateway->phase = GATEWAY_SHUT_DOWN;
    if (after_pending(&gateway->hooks.after) > 0) {
        limit_shutdown(gateway);
    } else {
        wait_on(gateway, GATEWAY_HUNG_UP, ABANDON_AFTER_MS);
    }
    gateway_grace_end(gateway);
    close_if_idle(gateway);
}

/* The process that has taken over may trust lists again once this one creates nothing more. */
static void report_if_drained(struct gateway *gateway)
{
    bool may_make = !gateway->refusing_calls || in_flight_may_make(&gateway->server);
    if (gateway->knowledge.handed_over && gateway->callbacks.drained && !may_make) {
        gateway->callbacks.drained(gateway->callbacks.state);
        gateway->callbacks.drained = NULL;
    }
}

static void on_calls_refused(void *state)
{
    struct gateway *gateway = state;
    gateway->refusing_calls = true;
    report_if_drained(gateway);
}

static void on_call_ended(void *state)
{
    struct gateway *gateway = state;
    report_if_drained(gateway);
    if (gateway->phase == GATEWAY_STOPPING && gateway->server.calls == 0) {
        limit_shutdown(gateway);
    }
    close_if_idle(gateway);
}

void gateway_hooks_idle(void *state)
{
    struct gateway *gateway = state;
    if (gateway->phase == GATEWAY_SHUT_DOWN) {
        wait_on(gateway, GATEWAY_HUNG_UP, ABANDON_AFTER_MS);
    } else if (gateway->phase == GATEWAY_STOPPING && gateway->server.calls == 0) {
        limit_shutdown(gateway);
    }
    close_if_idle(gateway);
}

static void on_stop_asked(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, stop_asked);
    if (gateway->phase == GATEWAY_SHUT_DOWN) {
        return;
    }
    bool again = gateway->phase == GATEWAY_STOPPING;
    if (again || gateway->stop_began == 0) {
        gateway->stop_began = clock_ns(); /* a signal after a takeover sets the usual limit */
    }
    gateway->phase = GATEWAY_STOPPING;
    gateway->server.stopping = true;
    limit_shutdown(gateway);
    if (again) {
        return;
    }
    log_notice("stopping; %u calls in flight", gateway->server.calls);
    in_flight_end_streams(&gateway->server);
    event_hub_stop(gateway->events);
    callers_end(&gateway->server.callers);
    grpc_server_shutdown_and_notify(gateway->server.grpc, gateway->worker.queue, &gateway->shut_down);
}

void gateway_stop(struct gateway *gateway, bool bounded)
{
    if (bounded) {
        gateway->bounded_stop = true;
    }
    worker_post(&gateway->worker, &gateway->stop_asked);
}

void gateway_stop_init(struct gateway *gateway)
{
    gateway->shutdown_deadline.completion.run = on_shutdown_deadline;
    gateway->stop_asked.run = on_stop_asked;
    gateway->shut_down.run = on_shut_down;
    gateway->server.callbacks.ended = on_call_ended;
    gateway->server.callbacks.refused = on_calls_refused;
}
