#include "patience.h"

#include "core/runtimes/runtime.h"

#define NANOSECONDS_A_MILLISECOND 1000000LL

static int64_t nanoseconds_left(const struct runtime *runtime, const struct waiting *waiting)
{
    return waiting->began + runtime->entry->budget * NANOSECONDS_A_MILLISECOND - worker_now();
}

static void arm(struct runtime *runtime, int64_t nanoseconds)
{
    int64_t rounded_up = nanoseconds + NANOSECONDS_A_MILLISECOND - 1;
    worker_arm(runtime->worker, &runtime->patience.timer, rounded_up / NANOSECONDS_A_MILLISECOND);
}

static void take_out(struct patience *patience, struct waiting *waiting)
{
    *waiting->back = waiting->next;
    if (waiting->next) {
        waiting->next->back = waiting->back;
    } else {
        patience->end = waiting->back;
    }
    waiting->back = NULL;
}

void patience_begin(struct runtime *runtime, struct waiting *waiting)
{
    struct patience *patience = &runtime->patience;
    if (runtime->state != RUNTIME_READY) {
        return;
    }
    waiting->began = worker_now();
    waiting->next = NULL;
    waiting->back = patience->end ? patience->end : &patience->oldest;
    *waiting->back = waiting;
    patience->end = &waiting->next;
    if (!patience->timer.armed) {
        arm(runtime, nanoseconds_left(runtime, waiting));
    }
}

void patience_end(struct runtime *runtime, struct waiting *waiting)
{
    if (waiting->back) {
        take_out(&runtime->patience, waiting);
    }
}

static void let_all_go(struct patience *patience)
{
    while (patience->oldest) {
        take_out(patience, patience->oldest);
    }
}

/* Those that began before the runtime was found to hang by another call, and was ready again. */
static void let_outdated_go(struct runtime *runtime)
{
    struct patience *patience = &runtime->patience;
    while (patience->oldest && patience->oldest->began < runtime->since) {
        take_out(patience, patience->oldest);
    }
}

void patience_stop(struct runtime *runtime)
{
    let_all_go(&runtime->patience);
    worker_disarm(runtime->worker, &runtime->patience.timer);
}

void patience_on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct runtime *runtime = completion_owner(completion, struct runtime, patience.timer);
    let_outdated_go(runtime);
    const struct waiting *oldest = runtime->patience.oldest;
    if (!oldest) {
        return;
    }
    int64_t left = nanoseconds_left(runtime, oldest);
    if (left > 0) {
        arm(runtime, left);
        return;
    }
    int64_t began = oldest->began;
    /* Those that are lost must not make it hang anew as soon as it has shown that it answers. */
    let_all_go(&runtime->patience);
    runtime_hangs(runtime, began);
}
