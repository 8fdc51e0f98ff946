#include "idle_callers.h"

#include "base/system/clock.h"

#define LOOKS 4
/* How long a caller gets to go, and calls of it that are on their way to arrive. */
#define GO_MS 5000

static void look_at(struct caller *caller, int64_t now, int64_t idle)
{
    int64_t idle_since = caller->last_ended > caller->since ? caller->last_ended : caller->since;
    if (caller->in_flight > 0 || now - idle_since < idle) {
        return;
    }
    /* An older time is from before the last call. */
    if (caller->asked_to_go < idle_since) {
        caller->asked_to_go = now;
        caller_send_goaway(caller);
    } else if (now - caller->asked_to_go >= GO_MS * NANOSECONDS_A_MILLISECOND) {
        caller_shut_down(caller);
    }
}

static void on_look(struct completion *completion, bool ok)
{
    (void)ok;
    struct call_server *server = completion_owner(completion, struct call_server, idle_callers);
    int64_t idle = server->generation->map->limits.idle;
    int64_t now = clock_ns();
    struct caller *caller;
    LIST_FOREACH(caller, &server->callers.all, others)
    {
        look_at(caller, now, idle * NANOSECONDS_A_MILLISECOND);
    }
    worker_arm(server->worker, &server->idle_callers, idle / LOOKS);
}

void idle_callers_begin(struct call_server *server)
{
    server->idle_callers.completion.run = on_look;
    worker_arm(server->worker, &server->idle_callers, server->generation->map->limits.idle / LOOKS);
}

void idle_callers_end(struct call_server *server)
{
    worker_disarm(server->worker, &server->idle_callers);
}
