/* How it is noticed that a call to the only runtime of a map goes over the budget, without ending it. The worker's clock and
   timer are the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/runtimes/patience.h"
#include "core/runtimes/runtime.h"

#define MILLISECOND 1000000LL

static int64_t now;
static unsigned armings;
static int64_t hung_since; /* milliseconds; -1: it does not hang */

int64_t worker_now(void)
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

void runtime_hangs(struct runtime *runtime, int64_t began)
{
    runtime->state = RUNTIME_HANGING;
    hung_since = began / MILLISECOND;
}

static const struct runtime_entry entry = {.budget = 5000};

static struct runtime *ready_runtime(void)
{
    static struct runtime runtime;
    runtime = (struct runtime){.entry = &entry, .state = RUNTIME_READY};
    now = 0;
    armings = 0;
    hung_since = -1;
    return &runtime;
}

/* Lets the clock run, and the timer when it is due. */
static void at(struct runtime *runtime, int64_t milliseconds)
{
    struct timer *timer = &runtime->patience.timer;
    while (timer->armed && timer->due <= milliseconds * MILLISECOND) {
        now = timer->due;
        timer->armed = false;
        patience_on_timer(&timer->completion, true);
    }
    now = milliseconds * MILLISECOND;
}

static void a_call_over_the_budget_makes_it_hang_since_the_call_began(void **state)
{
    (void)state;
    struct runtime *runtime = ready_runtime();
    struct waiting first = {0}, second = {0};
    at(runtime, 1000);
    patience_begin(runtime, &first);
    at(runtime, 2000);
    patience_begin(runtime, &second);
    at(runtime, 5999);
    assert_int_equal(hung_since, -1);
    at(runtime, 6000);
    assert_int_equal(hung_since, 1000);
    patience_end(runtime, &first);
    patience_end(runtime, &second);
}

static void the_oldest_that_is_left_counts_in_whichever_order_calls_end(void **state)
{
    (void)state;
    struct runtime *runtime = ready_runtime();
    struct waiting calls[4] = {0};
    for (int64_t i = 0; i < 4; i++) {
        at(runtime, i * 1000);
        patience_begin(runtime, &calls[i]);
    }
    patience_end(runtime, &calls[1]);
    patience_end(runtime, &calls[0]);
    patience_end(runtime, &calls[3]);
    patience_end(runtime, &calls[3]); /* again: nothing happens */
    at(runtime, 6999);
    assert_int_equal(hung_since, -1);
    at(runtime, 7000);
    assert_int_equal(hung_since, 2000);
}

static void calls_that_are_answered_cost_a_timer_in_a_budget(void **state)
{
    (void)state;
    struct runtime *runtime = ready_runtime();
    for (int64_t i = 0; i < 10000; i++) {
        struct waiting waiting = {0};
        at(runtime, i);
        patience_begin(runtime, &waiting);
        patience_end(runtime, &waiting);
    }
    assert_int_equal(hung_since, -1);
    assert_true(armings <= 3);
    at(runtime, 60000);
    assert_false(runtime->patience.timer.armed);
}

/* A call that its runtime has lost must not make it hang for ever. */
static void what_was_seen_when_it_hung_does_not_make_it_hang_again(void **state)
{
    (void)state;
    struct runtime *runtime = ready_runtime();
    struct waiting lost = {0}, meanwhile = {0}, later = {0};
    patience_begin(runtime, &lost);
    at(runtime, 5000);
    assert_int_equal(hung_since, 0);
    patience_begin(runtime, &meanwhile); /* it hangs: nothing to be noticed */
    runtime->state = RUNTIME_READY;
    hung_since = -1;
    at(runtime, 20000);
    assert_int_equal(hung_since, -1);
    patience_begin(runtime, &later);
    at(runtime, 24999);
    assert_int_equal(hung_since, -1);
    at(runtime, 25000);
    assert_int_equal(hung_since, 20000);
}

/* Another call may have found that it hangs; what began since it was ready again is watched on. */
static void calls_from_before_it_was_ready_again_do_not_count(void **state)
{
    (void)state;
    struct runtime *runtime = ready_runtime();
    struct waiting lost = {0}, later = {0};
    patience_begin(runtime, &lost);
    at(runtime, 2000);
    runtime->since = now;
    at(runtime, 3000);
    patience_begin(runtime, &later);
    at(runtime, 7999);
    assert_int_equal(hung_since, -1);
    at(runtime, 8000);
    assert_int_equal(hung_since, 3000);
    patience_end(runtime, &lost);
}

static void nothing_is_watched_once_it_is_stopped(void **state)
{
    (void)state;
    struct runtime *runtime = ready_runtime();
    struct waiting waiting = {0};
    patience_begin(runtime, &waiting);
    patience_stop(runtime);
    assert_false(runtime->patience.timer.armed);
    assert_null(runtime->patience.oldest);
    patience_end(runtime, &waiting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_over_the_budget_makes_it_hang_since_the_call_began),
        cmocka_unit_test(the_oldest_that_is_left_counts_in_whichever_order_calls_end),
        cmocka_unit_test(calls_that_are_answered_cost_a_timer_in_a_budget),
        cmocka_unit_test(what_was_seen_when_it_hung_does_not_make_it_hang_again),
        cmocka_unit_test(calls_from_before_it_was_ready_again_do_not_count),
        cmocka_unit_test(nothing_is_watched_once_it_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
