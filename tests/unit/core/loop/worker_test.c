/* A worker's timers and posted events. */
#include <string.h>

#include "base/system/clock.h"
#include "core/loop/worker.h"
#include "tests/cmocka.h"

#define MOST_STEPS 16

/* What ran, in order, as letters; a test's timers know their letter. */
static struct log {
    struct worker worker;
    char letters[MOST_STEPS + 1];
    size_t count;
} run_log;

struct step {
    struct timer timer;
    struct completion completion;
    struct turn turn;
    char letter;
    int64_t armed_at;
    int64_t ran_at;
};

static void note(struct step *step)
{
    assert_true(run_log.count < MOST_STEPS);
    run_log.letters[run_log.count++] = step->letter;
    step->ran_at = clock_ns();
}

static void on_due(struct completion *completion, bool ok)
{
    assert_true(ok);
    struct step *step = completion_owner(completion, struct step, timer.completion);
    assert_false(step->timer.armed);
    note(step);
}

static void on_due_end(struct completion *completion, bool ok)
{
    on_due(completion, ok);
    worker_close(&run_log.worker);
}

static void on_posted(struct completion *completion, bool ok)
{
    (void)ok;
    note(completion_owner(completion, struct step, completion));
}

static void on_turn(struct completion *completion, bool ok)
{
    assert_true(ok);
    struct step *step = completion_owner(completion, struct step, turn.completion);
    assert_false(step->turn.waits);
    note(step);
}

static struct step step_of(char letter)
{
    return (struct step){
        .timer.completion.run = on_due, .completion.run = on_posted, .turn.completion.run = on_turn, .letter = letter};
}

static void arm(struct step *step, int64_t milliseconds)
{
    step->armed_at = clock_ns();
    worker_arm(&run_log.worker, &step->timer, milliseconds);
}

static int begin(void **state)
{
    memset(&run_log, 0, sizeof run_log);
    worker_init(&run_log.worker);
    return 0;
}

EACH_TEST(begin, NULL)

TEST(timers_run_in_the_order_of_their_time)
{
    struct step late = step_of('c'), early = step_of('a'), middle = step_of('b'), last = step_of('z');
    last.timer.completion.run = on_due_end;
    /* Far apart: the machine may do something else between two of these lines. */
    arm(&late, 800);
    arm(&early, 5);
    arm(&last, 1200);
    arm(&middle, 400);
    assert_true(late.timer.armed && early.timer.armed);
    worker_run(&run_log.worker);
    assert_string_equal(run_log.letters, "abcz");
    assert_true(early.ran_at - early.armed_at >= 5000000);
    assert_true(last.ran_at - last.armed_at >= 1200000000);
}

TEST(equal_times_run_in_the_order_of_arming)
{
    struct step first = step_of('1'), second = step_of('2'), last = step_of('z');
    last.timer.completion.run = on_due_end;
    arm(&first, 0);
    arm(&second, 0);
    arm(&last, 0);
    worker_run(&run_log.worker);
    assert_string_equal(run_log.letters, "12z");
}

TEST(a_disarmed_timer_never_runs)
{
    struct step gone = step_of('x'), last = step_of('z');
    last.timer.completion.run = on_due_end;
    arm(&gone, 1);
    arm(&last, 20);
    worker_disarm(&run_log.worker, &gone.timer);
    assert_false(gone.timer.armed);
    worker_disarm(&run_log.worker, &gone.timer);
    worker_run(&run_log.worker);
    assert_string_equal(run_log.letters, "z");
}

TEST(arming_again_moves_a_timer)
{
    struct step moved = step_of('m'), middle = step_of('b'), last = step_of('z');
    last.timer.completion.run = on_due_end;
    arm(&moved, 1);
    arm(&middle, 10);
    arm(&moved, 20);
    arm(&last, 30);
    worker_run(&run_log.worker);
    assert_string_equal(run_log.letters, "bmz");
}

static void arm_again(struct completion *completion, bool ok)
{
    on_due(completion, ok);
    struct step *step = completion_owner(completion, struct step, timer.completion);
    if (run_log.count < 3) {
        arm(step, 1);
    } else {
        worker_close(&run_log.worker);
    }
}

TEST(a_timer_may_arm_itself)
{
    struct step again = step_of('r');
    again.timer.completion.run = arm_again;
    arm(&again, 1);
    worker_run(&run_log.worker);
    assert_string_equal(run_log.letters, "rrr");
}

static struct step disarmed;

static void disarm_other(struct completion *completion, bool ok)
{
    on_due(completion, ok);
    worker_disarm(&run_log.worker, &disarmed.timer);
}

/* Even when both are due at once. */
TEST(a_timer_may_disarm_another)
{
    struct step killer = step_of('k'), last = step_of('z');
    killer.timer.completion.run = disarm_other;
    last.timer.completion.run = on_due_end;
    disarmed = step_of('x');
    arm(&killer, 0);
    arm(&disarmed, 0);
    arm(&last, 5);
    worker_run(&run_log.worker);
    assert_string_equal(run_log.letters, "kz");
}

TEST(posted_completions_run_before_a_later_timer)
{
    struct step posted = step_of('p'), other = step_of('q'), last = step_of('z');
    last.timer.completion.run = on_due_end;
    arm(&last, 1000);
    worker_post(&run_log.worker, &posted.completion);
    worker_post(&run_log.worker, &other.completion);
    worker_run(&run_log.worker);
    assert_int_equal(run_log.count, 3);
    assert_int_equal(run_log.letters[2], 'z');
    assert_int_equal(run_log.letters[0] + run_log.letters[1], 'p' + 'q');
    assert_true(posted.ran_at - last.armed_at < 1000000000);
}

static struct step between;

static void arm_between(struct completion *completion, bool ok)
{
    on_turn(completion, ok);
    arm(&between, 0);
}

/* However many wait. */
TEST(only_some_turns_are_taken_at_once)
{
    struct step turns[2 * WORKER_TURNS + 1], last = step_of('z');
    last.timer.completion.run = on_due_end;
    between = step_of('b');
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        turns[i] = step_of((char)('0' + i));
        worker_wait_turn(&run_log.worker, &turns[i].turn);
        assert_true(turns[i].turn.waits);
    }
    turns[0].turn.completion.run = arm_between;
    turns[2 * WORKER_TURNS].turn.completion.run = arm_between;
    between.timer.completion.run = on_due;
    arm(&last, 50);
    worker_run(&run_log.worker);
    _Static_assert(WORKER_TURNS == 4, "what follows counts on it");
    assert_string_equal(run_log.letters, "0123b45678bz");
}

int main(void)
{
    grpc_init();
    int failures = tests_run();
    grpc_shutdown();
    return failures;
}
