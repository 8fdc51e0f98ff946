#include "worker.h"

#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <stddef.h>

#include "base/system/clock.h"
#include "core/loop/order.h"

/* While there are events, timers are looked at after this many of them: the time of each would cost more than the wait. */
#define EVENTS_A_LOOK 16

/* C core's monotonic clock is CLOCK_MONOTONIC, or, in newer versions, a few seconds ahead of it. */
static int64_t seconds_ahead(void)
{
    gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
    int64_t ahead = now.tv_sec * NANOSECONDS_A_SECOND + now.tv_nsec - clock_ns();
    return (ahead + NANOSECONDS_A_SECOND / 2) / NANOSECONDS_A_SECOND;
}

void worker_init(struct worker *worker)
{
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    *worker = (struct worker){
        .queue = grpc_completion_queue_create_for_next(NULL),
        .doorbell = grpc_channel_create("unix:/doorbell", credentials, NULL),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .ahead = seconds_ahead(),
    };
    TAILQ_INIT(&worker->timers);
    TAILQ_INIT(&worker->turns);
    grpc_channel_credentials_release(credentials);
}

/* C core has no call that puts an event of our own into a queue. Waiting for a channel's state with a deadline that is over comes
   to the same. */
static void ring(struct worker *worker, struct completion *completion)
{
    ORDER_BEFORE(worker); /* C core's queue sees to it */
    grpc_channel_watch_connectivity_state(worker->doorbell, GRPC_CHANNEL_IDLE, gpr_inf_past(GPR_CLOCK_MONOTONIC), worker->queue,
                                          completion);
}

bool worker_post(struct worker *worker, struct completion *completion)
{
    pthread_mutex_lock(&worker->lock);
    bool open = !worker->closed;
    if (open) {
        ring(worker, completion);
    }
    pthread_mutex_unlock(&worker->lock);
    return open;
}

/* Not in the worker, as the last hang-up lets the worker's loop end, while the thread that posts it still holds this. */
static pthread_mutex_t posting_hang_up = PTHREAD_MUTEX_INITIALIZER;

void worker_post_hang_up(struct worker *worker, struct completion *completion)
{
    pthread_mutex_lock(&posting_hang_up);
    pthread_mutex_lock(&worker->lock);
    ring(worker, completion);
    pthread_mutex_unlock(&worker->lock);
    pthread_mutex_unlock(&posting_hang_up);
}

/* After this, that thread does not touch the worker. */
static void leave_hang_ups(void)
{
    pthread_mutex_lock(&posting_hang_up);
    pthread_mutex_unlock(&posting_hang_up);
}

static void end_if_done(struct worker *worker)
{
    if (worker->closed && worker->watches == 0) {
        pthread_mutex_lock(&worker->lock);
        grpc_channel_destroy(worker->doorbell);
        pthread_mutex_unlock(&worker->lock);
        grpc_completion_queue_shutdown(worker->queue);
    }
}

void worker_close(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->closed = true;
    pthread_mutex_unlock(&worker->lock);
    end_if_done(worker);
}

void worker_end_watch(struct worker *worker)
{
    worker->watches--;
    end_if_done(worker);
}

void worker_disarm(struct worker *worker, struct timer *timer)
{
    if (timer->armed) {
        TAILQ_REMOVE(&worker->timers, timer, place);
        timer->armed = false;
    }
}

/* Most timers are due after those that are armed already. */
void worker_arm(struct worker *worker, struct timer *timer, int64_t milliseconds)
{
    worker_disarm(worker, timer);
    timer->due = clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND;
    timer->armed = true;
    struct timer *before = TAILQ_LAST(&worker->timers, timer_list);
    while (before && before->due > timer->due) {
        before = TAILQ_PREV(before, timer_list, place);
    }
    if (before) {
        TAILQ_INSERT_AFTER(&worker->timers, before, timer, place);
    } else {
        TAILQ_INSERT_HEAD(&worker->timers, timer, place);
    }
}

static void run_due_timers(struct worker *worker)
{
    struct timer *timer = TAILQ_FIRST(&worker->timers);
    int64_t now = timer ? clock_ns() : 0;
    while (timer && timer->due <= now) {
        worker_disarm(worker, timer);
        timer->completion.run(&timer->completion, true);
        timer = TAILQ_FIRST(&worker->timers);
    }
}

void worker_wait_turn(struct worker *worker, struct turn *turn)
{
    turn->waits = true;
    TAILQ_INSERT_TAIL(&worker->turns, turn, place);
}

static void take_turns(struct worker *worker)
{
    struct turn *turn;
    for (int taken = 0; taken < WORKER_TURNS && (turn = TAILQ_FIRST(&worker->turns)) != NULL; taken++) {
        TAILQ_REMOVE(&worker->turns, turn, place);
        turn->waits = false;
        turn->completion.run(&turn->completion, true);
    }
}

static gpr_timespec next_due(const struct worker *worker)
{
    const struct timer *next = TAILQ_FIRST(&worker->timers);
    if (!TAILQ_EMPTY(&worker->turns)) {
        return gpr_inf_past(GPR_CLOCK_MONOTONIC);
    }
    if (!next) {
        return gpr_inf_future(GPR_CLOCK_MONOTONIC);
    }
    int64_t due = next->due;
    return (gpr_timespec){.tv_sec = due / NANOSECONDS_A_SECOND + worker->ahead,
                          .tv_nsec = (int32_t)(due % NANOSECONDS_A_SECOND),
                          .clock_type = GPR_CLOCK_MONOTONIC};
}

void worker_abandon(struct worker *worker)
{
    worker->abandoned = true;
}

bool worker_run(struct worker *worker)
{
    unsigned events = 0; /* since timers were looked at */
    while (!worker->abandoned) {
        grpc_event event = grpc_completion_queue_next(worker->queue, next_due(worker), NULL);
        if (event.type == GRPC_QUEUE_SHUTDOWN) {
            leave_hang_ups();
            grpc_completion_queue_destroy(worker->queue);
            return true;
        }
        if (event.type == GRPC_OP_COMPLETE) {
            ORDER_AFTER(worker);
            struct completion *ended = event.tag;
            ended->run(ended, event.success != 0);
        }
        if (event.type == GRPC_QUEUE_TIMEOUT || ++events >= EVENTS_A_LOOK) {
            events = 0;
            run_due_timers(worker);
            take_turns(worker);
        }
    }
    return false;
}
