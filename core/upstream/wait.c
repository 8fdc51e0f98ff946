#include "wait.h"

#include <grpc/support/time.h>

#include "base/system/clock.h"

/* What an older call gets may be old as well. */
#define YOUNG_MS 1000

struct upstream_call *wait_owner(struct shared_call *shared)
{
    return completion_owner(shared, struct upstream_call, shared);
}

void wait_open(struct upstream_call *leader, struct shared_call_list *list)
{
    leader->shared.leads = true;
    leader->shared.changes = leader->seen.runtime->shared.changes;
    LIST_INSERT_HEAD(list, &leader->shared, entry);
}

void wait_close(struct upstream_call *leader, struct shared_call_list *waiting)
{
    LIST_REMOVE(&leader->shared, entry);
    leader->shared.leads = false;
    wait_move(&leader->shared.waiting, waiting);
}

void wait_move(struct shared_call_list *from, struct shared_call_list *to)
{
    *to = *from;
    LIST_INIT(from);
    if (!LIST_EMPTY(to)) {
        LIST_FIRST(to)->entry.le_prev = &to->lh_first;
    }
}

bool wait_is_worth(const struct upstream_call *leader, const struct upstream_call *upstream)
{
    return clock_ns() - leader->began <= YOUNG_MS * NANOSECONDS_A_MILLISECOND && !leader->seen.request->cancelled &&
           leader->shared.changes == upstream->seen.runtime->shared.changes;
}

static void on_time(struct completion *completion, bool ok)
{
    (void)ok;
    struct shared_call *shared = completion_owner(completion, struct shared_call, timer.completion);
    wait_owner(shared)->over(wait_owner(shared));
}

static void arm_timer(struct upstream_call *upstream, gpr_timespec deadline)
{
    upstream->shared.timer.completion.run = on_time;
    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) != 0) {
        int64_t left = gpr_time_to_millis(gpr_time_sub(deadline, gpr_now(deadline.clock_type)));
        worker_arm(upstream->seen.runtime->worker, &upstream->shared.timer, left > 0 ? left : 0);
    }
}

void wait_begin(struct upstream_call *leader, struct upstream_call *upstream, gpr_timespec deadline,
                void (*over)(struct upstream_call *upstream))
{
    struct runtime *runtime = upstream->seen.runtime;
    upstream->state = UPSTREAM_WAITING;
    upstream->over = over;
    upstream->taken = runtime->connection.channel.taken;
    LIST_INSERT_HEAD(&leader->shared.waiting, &upstream->shared, entry);
    arm_timer(upstream, deadline);
    if (upstream->watched) {
        runtime_watch(runtime, &upstream->waiting, upstream->seen.request->method);
    }
}

void wait_renew(struct upstream_call *upstream, gpr_timespec deadline)
{
    if (!upstream->shared.cancelled) {
        worker_disarm(upstream->seen.runtime->worker, &upstream->shared.timer);
        arm_timer(upstream, deadline);
    }
}

void wait_end(struct upstream_call *upstream)
{
    LIST_REMOVE(&upstream->shared, entry);
    upstream->state = UPSTREAM_IDLE;
    worker_disarm(upstream->seen.runtime->worker, &upstream->shared.timer);
    patience_end(&upstream->seen.runtime->patience, &upstream->waiting);
}

static void on_turn(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_call *upstream = completion_owner(completion, struct upstream_call, turn.completion);
    upstream->over(upstream);
}

void wait_turn(struct upstream_call *upstream, void (*then)(struct upstream_call *upstream))
{
    upstream->over = then;
    upstream->turn.completion.run = on_turn;
    worker_wait_turn(upstream->seen.runtime->worker, &upstream->turn);
}

void wait_turns(struct shared_call_list *waiting, void (*then)(struct upstream_call *upstream))
{
    while (!LIST_EMPTY(waiting)) {
        struct upstream_call *upstream = wait_owner(LIST_FIRST(waiting));
        wait_end(upstream);
        wait_turn(upstream, then);
    }
}

struct upstream_call *wait_most_patient(const struct shared_call_list *waiting)
{
    struct upstream_call *best = NULL;
    struct shared_call *shared;
    LIST_FOREACH(shared, waiting, entry)
    {
        struct upstream_call *upstream = wait_owner(shared);
        if (!shared->cancelled && (!best || gpr_time_cmp(upstream->seen.request->deadline, best->seen.request->deadline) > 0)) {
            best = upstream;
        }
    }
    return best;
}
