#include "drain.h"

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/calls/in_flight.h"
#include "core/gateway/stop.h"
#include "core/gateway/takeover.h"

/* Connections that came last get their first frame from C core in this time. */
#define FIRST_FRAME_MS 50
/* How often, and how many times, to look for a moment in which no reply is being written. */
#define LOOK_MS 1
#define LOOKS 2000
/* How long callers get to go: calls that they had sent before they knew have arrived by then. */
#define GO_MS 500

static void send_callers_away(struct callers *callers)
{
    struct caller *caller;
    LIST_FOREACH(caller, &callers->all, others)
    {
        caller_send_goaway(caller);
    }
}

static void on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct drain *drain = completion_owner(completion, struct drain, timer);
    if (drain->sent_away || drain->looks == LOOKS) {
        gateway_stop(drain->gateway, false);
        return;
    }
    drain->looks++;
    drain->sent_away = !in_flight_is_replying(&drain->gateway->server);
    if (drain->sent_away) {
        send_callers_away(&drain->gateway->server.callers);
    } else if (drain->looks == LOOKS) {
        log_line(LOG_SERIOUS, "a caller is not reading its reply; calls that arrive now may fail");
    }
    worker_arm(&drain->gateway->worker, &drain->timer, drain->sent_away ? GO_MS : LOOK_MS);
}

static void on_begun(struct completion *completion, bool ok)
{
    (void)ok;
    struct drain *drain = completion_owner(completion, struct drain, begun);
    drain->gateway->knowledge.handed_over = true;
    gateway_hand_over_hooks(drain->gateway);
    drain->gateway->stop_began = clock_ns();
    worker_arm(&drain->gateway->worker, &drain->timer, FIRST_FRAME_MS);
}

void drain_begin(struct drain *drain, struct gateway *gateway)
{
    *drain = (struct drain){.gateway = gateway, .begun.run = on_begun, .timer.completion.run = on_timer};
    worker_post(&gateway->worker, &drain->begun);
}
