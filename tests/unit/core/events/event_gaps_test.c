#include "core/events/gaps.h"
#include "tests/cmocka.h"

/* Stages as bits. */
enum { C = 1 << STAGE_CREATED, S = 1 << STAGE_STARTED, T = 1 << STAGE_STOPPED, D = 1 << STAGE_DELETED };

static int begin(void **state)
{
    static struct event_gaps gaps;
    gaps = (struct event_gaps){0};
    *state = &gaps;
    return 0;
}

static int end(void **state)
{
    event_gaps_clear(*state);
    return 0;
}

static struct container_event event(enum container_stage stage, bool has_statuses)
{
    return (struct container_event){
        .id = bytes_of_string("c"), .pod = bytes_of_string("p"), .stage = stage, .has_statuses = has_statuses};
}

/* Of a pod, while the stream stands. */
static bool learns(struct event_gaps *gaps, enum container_stage stage, unsigned stages)
{
    struct container_event told = event(stage, false);
    return event_gaps_learn(gaps, ID_POD, &told, stages, true);
}

EACH_TEST(begin, end)

TEST(lists_are_needed_until_a_pod_has_come_and_gone)
{
    struct event_gaps *gaps = *state;
    assert_true(event_gaps_need_lists(gaps));
    assert_false(learns(gaps, STAGE_CREATED, C));
    assert_false(learns(gaps, STAGE_STARTED, S));
    assert_true(event_gaps_need_lists(gaps));
    /* Lists may have shown it first. */
    assert_false(learns(gaps, STAGE_DELETED, 0));
    assert_false(event_gaps_need_lists(gaps));
}

TEST(a_step_left_out_makes_lists_needed_again)
{
    struct event_gaps *gaps = *state;
    struct container_event started = event(STAGE_STARTED, false);
    learns(gaps, STAGE_CREATED, C);
    learns(gaps, STAGE_DELETED, T | D);
    /* What was missed while there was no stream is no fault of it. */
    assert_false(event_gaps_learn(gaps, ID_POD, &started, C | S, false));
    assert_false(event_gaps_need_lists(gaps));
    assert_true(learns(gaps, STAGE_STARTED, C | S));
    assert_true(event_gaps_need_lists(gaps));
}

TEST(an_event_without_statuses_is_incomplete_if_the_runtime_tells_none)
{
    struct event_gaps *gaps = *state;
    struct container_event bare = event(STAGE_STARTED, false);
    struct container_event last = event(STAGE_DELETED, false);
    struct container_event full = event(STAGE_STARTED, true);
    /* The last container of a pod has none when it is gone. */
    assert_false(event_gaps_learn(gaps, ID_CONTAINER, &last, D, true));
    assert_false(event_gaps_incomplete(gaps, &last));
    assert_true(event_gaps_learn(gaps, ID_CONTAINER, &bare, S, true));
    assert_true(event_gaps_incomplete(gaps, &bare));
    assert_true(event_gaps_incomplete(gaps, &last));
    assert_false(event_gaps_incomplete(gaps, &full));
    assert_false(event_gaps_learn(gaps, ID_CONTAINER, &full, S, true));
    assert_false(event_gaps_incomplete(gaps, &last));
}

TEST(events_wait_in_their_order)
{
    struct event_gaps *gaps = *state;
    for (enum container_stage stage = STAGE_CREATED; stage < STAGE_COUNT; stage++) {
        char id[] = "c";
        struct container_event kept = event(stage, false);
        kept.id = bytes_of(id, 1);
        assert_true(event_gaps_keep(gaps, ID_CONTAINER, &kept));
        id[0] = 'x';
    }
    event_gaps_drop(gaps, 1);
    assert_int_equal(gaps->count, 3);
    for (size_t i = 0; i < gaps->count; i++) {
        assert_int_equal(gaps->tales[i].stage, STAGE_STARTED + (int)i);
        assert_true(bytes_equal(gaps->tales[i].id, bytes_of_string("c")));
        assert_true(bytes_equal(gaps->tales[i].pod, bytes_of_string("p")));
    }
    event_gaps_drop(gaps, 3);
    assert_int_equal(gaps->count, 0);
}
