#include "stop.h"

#include <grpc/grpc.h>

#include "core/base/log.h"
#include "core/calls/call.h"
#include "core/calls/downstream_stream.h"
#include "core/events/hub.h"
#include "core/gateway/gateway.h"
#include "core/memory/learn.h"
#include "core/memory/save.h"

/* How long the server's connections get to take leave when no call is left on them. */
#define GOODBYE_MS 1000
/* How often to look whether what is left still gets on, when it may take as long as it wants to. */
#define LOOK_AGAIN_MS 400
/* How long after calls were cancelled before their connections are shut down, and how long after that before the process ends
   all the same. */
#define HANG_UP_AFTER_MS 100
#define ABANDON_AFTER_MS 400

/* ---- what keeps calls ---- */

/* Whether a runtime is at work for the call, so that waiting leads somewhere: it is no use for a caller that takes no answer, or
   for a runtime that gives none. */
static bool gets_on(const struct call *call)
{
    if (call->state == CALL_PARKED || call->state == CALL_FINDING_OWNER) {
        return true; /* both are bounded by themselves */
    }
    bool asks = call->state == CALL_ASKING || (call->state == CALL_STREAMING && call->list_stream);
    for (size_t i = 0; asks && i < call->route.count; i++) {
        if (call->request.generation->runtimes[call->route.targets[i]]->state == RUNTIME_READY) {
            return true;
        }
    }
    return false;
}

/* Whether calls are left of which each would keep the process for ever: none gets on, and none has ended since the last look. */
static bool all_are_stuck(struct gateway *gateway)
{
    const struct call *call = gateway->first;
    while (call && !gets_on(call)) {
        call = call->next;
    }
    bool stuck = !call && gateway->stuck == gateway->calls;
    gateway->stuck = call ? 0 : gateway->calls;
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
    if (gateway->calls > 0) {
        log_line(LOG_SERIOUS, "%u calls did not end in time; cancelling them", gateway->calls);
    }
    grpc_server_cancel_all_calls(gateway->server);
    wait_on(gateway, GATEWAY_CANCELLED, HANG_UP_AFTER_MS);
}

static void on_shutdown_deadline(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, shutdown_deadline);
    switch (gateway->ending) {
    case GATEWAY_WAITS:
        if (!gateway->bounded_stop && gateway->calls > 0 && !all_are_stuck(gateway)) {
            wait_on(gateway, GATEWAY_WAITS, LOOK_AGAIN_MS);
        } else {
            cancel_calls(gateway);
        }
        break;
    case GATEWAY_CANCELLED:
        /* C core ends no reply before the caller has taken what was written of it. */
        gateway->hang_up(gateway->hang_up_state);
        wait_on(gateway, GATEWAY_HUNG_UP, ABANDON_AFTER_MS);
        break;
    case GATEWAY_HUNG_UP:
        log_line(LOG_SERIOUS, "connections did not end in time; exiting all the same");
        worker_abandon(&gateway->worker);
        break;
    }
}

/* A connection that does not take part in the leave-taking (one that never spoke HTTP/2, say) must not use up the grace. */
static void limit_shutdown(struct gateway *gateway)
{
    enum { NANOSECONDS_A_MILLISECOND = 1000000 };
    int64_t grace = gateway->generation->map->limits.shutdown_grace;
    int64_t left = grace - (worker_now() - gateway->stop_began) / NANOSECONDS_A_MILLISECOND;
    if (gateway->ending == GATEWAY_WAITS) {
        int64_t most = gateway->calls == 0 && grace > GOODBYE_MS ? GOODBYE_MS : grace;
        wait_on(gateway, GATEWAY_WAITS, left < 0 ? 0 : left < most ? left : most);
    }
}

/* Calls outlive the server's connections by what they still have to hear from runtimes, for which they need the queue. */
static void close_if_idle(struct gateway *gateway)
{
    if (gateway->phase != GATEWAY_SHUT_DOWN || gateway->calls > 0) {
        return;
    }
    worker_disarm(&gateway->worker, &gateway->trim);
    memory_limit_end(gateway);
    idle_callers_end(gateway);
    knowledge_save(&gateway->knowledge);
    worker_disarm(&gateway->worker, &gateway->knowledge.save);
    generation_unref(gateway->generation);
    gateway->generation = gateway->knowledge.generation = NULL;
    grpc_server_destroy(gateway->server);
    worker_close(&gateway->worker);
}

static void on_shut_down(struct completion *completion, bool ok)
{
    (void)ok;
    struct gateway *gateway = completion_owner(completion, struct gateway, shut_down);
    gateway->phase = GATEWAY_SHUT_DOWN;
    worker_disarm(&gateway->worker, &gateway->grace);
    worker_disarm(&gateway->worker, &gateway->first_look);
    wait_on(gateway, GATEWAY_HUNG_UP, ABANDON_AFTER_MS);
    call_unpark_all(gateway);
    close_if_idle(gateway);
}

/* Whether a call may yet make something on a runtime: one that says so, one of which that is not known, and one that is forwarded
   without being understood. */
static bool may_make(const struct gateway *gateway)
{
    const struct call *call = gateway->first;
    while (call && (call->state == CALL_REPLYING || (call->request.method && !learn_is_creation(call->request.method)))) {
        call = call->next;
    }
    return call != NULL;
}

/* The process that has taken over may believe lists again once nothing is made here any more. */
static void tell_if_quiet(struct gateway *gateway)
{
    if (gateway->knowledge.handed_over && gateway->refusing_calls && gateway->quiet && !may_make(gateway)) {
        gateway->quiet(gateway->quiet_state);
        gateway->quiet = NULL;
    }
}

void gateway_calls_refused(struct gateway *gateway)
{
    gateway->refusing_calls = true;
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
        if (call->downstream) {
            downstream_leave(call->downstream);
        }
    }
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
        gateway->stop_began = worker_now(); /* a signal after a takeover sets the usual limit */
    }
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

void gateway_stop_init(struct gateway *gateway)
{
    gateway->shutdown_deadline.completion.run = on_shutdown_deadline;
    gateway->stop_asked.run = on_stop_asked;
    gateway->shut_down.run = on_shut_down;
}
