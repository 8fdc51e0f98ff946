/* How it is noticed that a call to the only runtime of a map goes over the budget, without ending it. The worker's clock and
   timer are the test's. */
#include "base/system/clock.h"
#include "core/runtimes/patience.h"
#include "tests/cmocka.h"

#define MILLISECOND 1000000LL

static int64_t now;
static unsigned armings;
static int64_t hung_since; /* milliseconds; -1: it does not hang */

int64_t clock_ns(void)
{
    return now;
}

void worker_arm(struct worker *worker, struct timer *timer, int64_t milliseconds)
{
    (void)worker;
    armings++;
    timer->armed = true;
    timer->due = now + milliseconds * MILLISECOND;
}

void worker_disarm(struct worker *worker, struct timer *timer)
{
    (void)worker;
    timer->armed = false;
}

static void on_over_budget(struct patience *patience, int64_t began)
{
    (void)patience;
    hung_since = began / MILLISECOND;
}

static struct patience *new_patience(void)
{
    static struct patience patience;
    patience_init(&patience, NULL, 5000, on_over_budget);
    now = 0;
    armings = 0;
    hung_since = -1;
    return &patience;
}

/* Lets the clock run, and the timer when it is due. */
static void at(struct patience *patience, int64_t milliseconds)
{
    struct timer *timer = &patience->timer;
    while (timer->armed && timer->due <= milliseconds * MILLISECOND) {
        now = timer->due;
        timer->armed = false;
        timer->completion.run(&timer->completion, true);
    }
    now = milliseconds * MILLISECOND;
}

TEST(a_call_over_the_budget_makes_it_hang_since_the_call_began)
{
    struct patience *patience = new_patience();
    struct waiting first = {0}, second = {0};
    at(patience, 1000);
    patience_begin(patience, &first);
    at(patience, 2000);
    patience_begin(patience, &second);
    at(patience, 5999);
    assert_int_equal(hung_since, -1);
    at(patience, 6000);
    assert_int_equal(hung_since, 1000);
    patience_end(patience, &first);
    patience_end(patience, &second);
}

TEST(the_oldest_that_is_left_counts_in_whichever_order_calls_end)
{
    struct patience *patience = new_patience();
    struct waiting calls[4] = {0};
    for (int64_t i = 0; i < 4; i++) {
        at(patience, i * 1000);
        patience_begin(patience, &calls[i]);
    }
    patience_end(patience, &calls[1]);
    patience_end(patience, &calls[0]);
    patience_end(patience, &calls[3]);
    patience_end(patience, &calls[3]); /* again: nothing happens */
    at(patience, 6999);
    assert_int_equal(hung_since, -1);
    at(patience, 7000);
    assert_int_equal(hung_since, 2000);
}

TEST(calls_that_are_answered_cost_a_timer_in_a_budget)
{
    struct patience *patience = new_patience();
    for (int64_t i = 0; i < 10000; i++) {
        struct waiting waiting = {0};
        at(patience, i);
        patience_begin(patience, &waiting);
        patience_end(patience, &waiting);
    }
    assert_int_equal(hung_since, -1);
    assert_true(armings <= 3);
    at(patience, 60000);
    assert_false(patience->timer.armed);
}

/* A call that its runtime has lost must not make it hang for ever. */
TEST(what_was_seen_when_it_hung_does_not_make_it_hang_again)
{
    struct patience *patience = new_patience();
    struct waiting lost = {0}, later = {0};
    patience_begin(patience, &lost);
    at(patience, 5000);
    assert_int_equal(hung_since, 0);
    hung_since = -1;
    at(patience, 20000);
    assert_int_equal(hung_since, -1);
    patience_begin(patience, &later);
    at(patience, 24999);
    assert_int_equal(hung_since, -1);
    at(patience, 25000);
    assert_int_equal(hung_since, 20000);
}

/* As when another call has found that the runtime hangs. */
TEST(calls_from_before_all_was_forgotten_do_not_count)
{
    struct patience *patience = new_patience();
    struct waiting lost = {0}, later = {0};
    patience_begin(patience, &lost);
    at(patience, 2000);
    patience_forget(patience);
    at(patience, 3000);
    patience_begin(patience, &later);
    at(patience, 7999);
    assert_int_equal(hung_since, -1);
    at(patience, 8000);
    assert_int_equal(hung_since, 3000);
    patience_end(patience, &lost);
}

TEST(nothing_is_watched_once_all_is_forgotten)
{
    struct patience *patience = new_patience();
    struct waiting waiting = {0};
    patience_begin(patience, &waiting);
    patience_forget(patience);
    assert_false(patience->timer.armed);
    assert_null(patience->oldest);
    patience_end(patience, &waiting);
}
