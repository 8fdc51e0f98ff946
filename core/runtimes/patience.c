#include "patience.h"

#include "base/system/clock.h"

static void arm(struct patience *patience, int64_t nanoseconds)
{
    int64_t rounded_up = nanoseconds + NANOSECONDS_A_MILLISECOND - 1;
    worker_arm(patience->worker, &patience->timer, rounded_up / NANOSECONDS_A_MILLISECOND);
}

static int64_t nanoseconds_left(const struct patience *patience, int64_t began)
{
    return began + patience->budget * NANOSECONDS_A_MILLISECOND - clock_ns();
}

static void on_timer(struct completion *completion, bool ok)
{
    (void)ok;
    struct patience *patience = completion_owner(completion, struct patience, timer);
    if (!patience->oldest) {
        return;
    }
    int64_t began = patience->oldest->began;
    int64_t left = nanoseconds_left(patience, began);
    if (left > 0) {
        arm(patience, left);
        return;
    }
    /* Those that are lost must not make it hang again as soon as it has shown that it answers. */
    patience->method = patience->oldest->method;
    patience_forget(patience);
    patience->over_budget(patience, began);
}

void patience_init(struct patience *patience, struct worker *worker, int64_t budget,
                   void (*over_budget)(struct patience *patience, int64_t began))
{
    *patience = (struct patience){
        .worker = worker,
        .budget = budget,
        .over_budget = over_budget,
        .timer.completion.run = on_timer,
    };
}

void patience_begin(struct patience *patience, struct waiting *waiting)
{
    waiting->began = clock_ns();
    waiting->next = NULL;
    waiting->back = patience->end ? patience->end : &patience->oldest;
    *waiting->back = waiting;
    patience->end = &waiting->next;
    if (!patience->timer.armed) {
        arm(patience, nanoseconds_left(patience, waiting->began));
    }
}

void patience_end(struct patience *patience, struct waiting *waiting)
{
    if (!waiting->back) {
        return;
    }
    *waiting->back = waiting->next;
    if (waiting->next) {
        waiting->next->back = waiting->back;
    } else {
        patience->end = waiting->back;
    }
    waiting->back = NULL;
}

void patience_forget(struct patience *patience)
{
    while (patience->oldest) {
        patience_end(patience, patience->oldest);
    }
    worker_disarm(patience->worker, &patience->timer);
}
