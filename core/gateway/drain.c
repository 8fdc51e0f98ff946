#include "drain.h"

#include "core/base/log.h"

/* Connections that came last get their first frame from C core in this time. */
#define SETTLE_MS 50
/* How often, and how many times, to look for a moment in which no reply is being written. */
#define LOOK_MS 1
#define LOOKS 2000
/* How long callers get to go: calls that they had sent before they knew have arrived by then. */
#define GO_MS 500

static void on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct leaving *leaving = completion_owner(completion, struct leaving, timer);
    if (leaving->said || leaving->looks == LOOKS) {
        gateway_stop(leaving->gateway, false);
        return;
    }
    leaving->looks++;
    leaving->said = !gateway_is_replying(leaving->gateway);
    if (leaving->said) {
        leaving->send_away(leaving->state);
    } else if (leaving->looks == LOOKS) {
        log_line(LOG_SERIOUS, "a caller does not take its reply; calls that come right now may fail");
    }
    worker_arm(&leaving->gateway->worker, &leaving->timer, leaving->said ? GO_MS : LOOK_MS);
}

static void on_begun(struct completion *completion, bool ok)
{
    (void)ok;
    struct leaving *leaving = completion_owner(completion, struct leaving, begun);
    leaving->gateway->knowledge.handed_over = true;
    leaving->gateway->stop_began = worker_now();
    worker_arm(&leaving->gateway->worker, &leaving->timer, SETTLE_MS);
}

void drain_begin(struct leaving *leaving, struct gateway *gateway, void (*send_away)(void *state), void *state)
{
    *leaving = (struct leaving){
        .gateway = gateway, .send_away = send_away, .state = state, .begun.run = on_begun, .timer.completion.run = on_timer};
    worker_post(&gateway->worker, &leaving->begun);
}
