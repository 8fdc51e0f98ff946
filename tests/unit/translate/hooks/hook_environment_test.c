/* What becomes of plugins' answers about the environment. */
#include "tests/cmocka.h"
#include "tests/unit/translate/hooks/hook_echo.h"
#include "tests/unit/translate/hooks/hook_fixture.h"

/* The variables before, in an answer, and after; each ends with NULL. */
#define LIST(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* The merge must have this result and report these changes. An empty text: the facts are the same bytes. */
static void expect_merged(struct exchange *exchange, const char *const facts[], const char *const answer[],
                          const char *const merged[], const char *text)
{
    struct bytes before = hook_variables(exchange, facts), result, applied;
    struct hook_changes changes;
    if (!hook_merge(exchange, MODEL_CONTAINER, before, hook_variables(exchange, answer), &result, &changes)) {
        fail_msg("refused: %s", exchange->error.message);
    }
    assert_string_equal(changes.text, text);
    assert_int_equal(changes.changed, *text != 0);
    assert_int_equal(result.data == before.data, *text == 0);
    hook_expect_variables(result, merged);
    /* The way into the configuration has the same result. */
    assert_true(hook_facts_apply(MODEL_CONTAINER, before, before, result, exchange->arena, &applied, &exchange->error));
    assert_true(bytes_equal(applied, result));
}

static void expect_refused(struct exchange *exchange, struct bytes answer, const char *message)
{
    struct bytes result;
    struct hook_changes changes;
    assert_false(hook_merge(exchange, MODEL_CONTAINER, hook_variables(exchange, LIST("A=1")), answer, &result, &changes));
    assert_string_equal(exchange->error.message, message);
    hook_expect_variables(result, LIST("A=1"));
}

ALL_TESTS(exchange_begin, exchange_end)

TEST(an_echo_in_any_order_changes_nothing)
{
    expect_merged(*state, LIST("C=3", "A=1", "B=2"), LIST("A=1", "B=2", "C=3"), LIST("C=3", "A=1", "B=2"), "");
}

TEST(an_answer_without_variables_changes_nothing)
{
    expect_merged(*state, LIST("A=1"), LIST(), LIST("A=1"), "");
}

TEST(a_changed_variable_keeps_its_place)
{
    expect_merged(*state, LIST("C=3", "A=1", "B=2"), LIST("A=x", "B=2", "C=3"), LIST("C=3", "A=x", "B=2"), "envs[A]");
}

TEST(new_variables_are_appended_by_name)
{
    expect_merged(*state, LIST("M=1"), LIST("Z=3", "M=1", "B=2"), LIST("M=1", "B=2", "Z=3"), "envs[B], envs[Z]");
}

TEST(a_variable_that_is_missing_in_the_answer_is_removed)
{
    expect_merged(*state, LIST("A=1", "B=2", "C=3"), LIST("A=1", "C=3"), LIST("A=1", "C=3"), "envs[B]");
}

TEST(all_can_be_replaced)
{
    expect_merged(*state, LIST("A=1", "B=2"), LIST("C=3"), LIST("C=3"), "envs[A], envs[B], envs[C]");
}

TEST(a_variable_can_become_empty)
{
    expect_merged(*state, LIST("A=1"), LIST("A="), LIST("A="), "envs[A]");
}

TEST(an_environment_can_begin)
{
    expect_merged(*state, LIST(), LIST("GPU=0"), LIST("GPU=0"), "envs[GPU]");
}

TEST(a_value_that_could_not_be_sent_survives)
{
    expect_merged(*state, LIST("A=1", "BAD=\xff", "B=2"), LIST("A=1", "B=2"), LIST("A=1", "BAD=\xff", "B=2"), "");
    expect_merged(*state, LIST("A=1", "BAD=\xff", "B=2"), LIST("B=3"), LIST("BAD=\xff", "B=3"), "envs[A], envs[B]");
}

TEST(a_name_that_could_not_be_sent_survives)
{
    expect_merged(*state, LIST("A=1", "\xfe=x"), LIST("A=2"), LIST("A=2", "\xfe=x"), "envs[A]");
}

TEST(a_new_value_for_one_that_could_not_be_sent_is_appended)
{
    expect_merged(*state, LIST("BAD=\xff", "A=1"), LIST("A=1", "BAD=good"), LIST("BAD=\xff", "A=1", "BAD=good"), "envs[BAD]");
}

TEST(the_earlier_of_two_of_one_name_survives)
{
    expect_merged(*state, LIST("A=1", "B=2", "A=3"), LIST("A=3", "B=2"), LIST("A=1", "B=2", "A=3"), "");
    expect_merged(*state, LIST("A=1", "B=2", "A=3"), LIST("A=4", "B=2"), LIST("A=1", "B=2", "A=4"), "envs[A]");
    expect_merged(*state, LIST("A=1", "B=2", "A=3"), LIST("B=2"), LIST("A=1", "B=2"), "envs[A]");
}

TEST(an_earlier_one_is_not_sent_for_a_last_one_that_cannot_be)
{
    expect_merged(*state, LIST("A=1", "A=\xff", "B=2"), LIST("B=2"), LIST("A=1", "A=\xff", "B=2"), "");
}

TEST(of_two_answered_the_last_counts)
{
    expect_merged(*state, LIST("A=1"), LIST("A=2", "A=1"), LIST("A=1"), "");
    expect_merged(*state, LIST("A=1"), LIST("A=2", "A=3"), LIST("A=3"), "envs[A]");
}

/* What a protocol sends and what the merge takes for sent must be the same. */
TEST(an_echo_by_way_of_the_protocol_changes_nothing)
{
    struct exchange *exchange = *state;
    struct bytes with_nul = BYTES(0x32, 0x07, 0x0a, 0x01, 'N', 0x12, 0x02, 'x', 0x00);
    const char *const variables[] = {"A=1", "B=\xc3\xa9", "A=2", "C=\xc3", "\xff=1", "D=", "E=3", "E=\xff", "=x", NULL};
    struct bytes sent = exchange_join(exchange, hook_variables(exchange, variables), with_nul), merged;
    struct hook_facts facts = {.container = sent}, answer = hook_echo(exchange, &facts);
    hook_expect_variables(answer.container, LIST("=x", "A=2", "B=\xc3\xa9", "D="));
    struct hook_changes changes;
    assert_true(hook_merge(exchange, MODEL_CONTAINER, sent, answer.container, &merged, &changes));
    assert_string_equal(changes.text, "");
    assert_ptr_equal(merged.data, sent.data);
}

TEST(names_must_be_names)
{
    struct exchange *exchange = *state;
    expect_refused(exchange, hook_variables(exchange, LIST("A=1", "=x")), "envs[]: the name is empty");
    expect_refused(exchange, hook_variables(exchange, LIST("A=1", "\xff=x")), "envs[?]: the name is not text");
    /* key "B=C" */
    expect_refused(exchange, BYTES(0x32, 0x08, 0x0a, 0x03, 'B', '=', 'C', 0x12, 0x01, '1'), "envs[B=C]: the name has \"=\"");
    /* key "B\0" */
    expect_refused(exchange, BYTES(0x32, 0x07, 0x0a, 0x02, 'B', 0x00, 0x12, 0x01, '1'), "envs[B?]: the name is not text");
}

TEST(values_must_be_text)
{
    struct exchange *exchange = *state;
    expect_refused(exchange, hook_variables(exchange, LIST("A=\xff")), "envs[A]: the value is not text");
    expect_refused(exchange, BYTES(0x32, 0x06, 0x0a, 0x01, 'A', 0x12, 0x01, 0x00), "envs[A]: the value is not text");
}

TEST(odd_names_that_are_echoed_pass)
{
    struct exchange *exchange = *state;
    struct bytes odd = BYTES(0x32, 0x08, 0x0a, 0x03, 'B', '=', 'C', 0x12, 0x01, '1', 0x32, 0x05, 0x0a, 0x00, 0x12, 0x01, '1');
    struct bytes result;
    struct hook_changes changes;
    assert_true(hook_merge(exchange, MODEL_CONTAINER, odd, odd, &result, &changes));
    assert_false(changes.changed);
}

/* Merges the answers in sequence; the changes are those of the last. */
static struct bytes merge_all(struct exchange *exchange, struct bytes facts, const char *const *const answers[],
                              struct hook_changes *changes)
{
    struct hook_facts original = {.container = facts}, current = original;
    for (size_t i = 0; answers[i]; i++) {
        struct hook_facts answer = {.container = hook_variables(exchange, answers[i])};
        *changes = (struct hook_changes){0};
        assert_true(hook_facts_merge(&original, &current, &answer, exchange->arena, changes, &exchange->error));
    }
    return current.container;
}

TEST(the_later_of_two_plugins_wins_and_this_is_reported)
{
    struct exchange *exchange = *state;
    struct hook_changes changes;
    const char *const *const answers[] = {LIST("A=2", "N=1"), LIST("A=3", "N=2", "B=2"), NULL};
    struct bytes merged = merge_all(exchange, hook_variables(exchange, LIST("A=1", "B=2")), answers, &changes);
    hook_expect_variables(merged, LIST("A=3", "N=2", "B=2"));
    assert_string_equal(changes.text, "envs[A], envs[N], envs[B]");
    assert_string_equal(changes.overwritten, "envs[A], envs[N], envs[B]");
}

/* The variable A=1 in a configuration, with a field that this schema does not know. */
static const uint8_t with_unknown[] = {0x32, 0x0c, 0x0a, 0x01, 'A', 0x12, 0x01, '1', 0xaa, 0x06, 0x03, 'n', 'e', 'w'};
static const uint8_t changed_with_unknown[] = {0x32, 0x0c, 0x0a, 0x01, 'A', 0xaa, 0x06, 0x03, 'n', 'e', 'w', 0x12, 0x01, '2'};

TEST(unknown_fields_of_variables_survive)
{
    const struct {
        const char *const *answer;
        struct bytes variable;
    } cases[] = {
        {LIST("A=1", "B=2"), {with_unknown, sizeof with_unknown}},
        {LIST("A=2", "B=2"), {changed_with_unknown, sizeof changed_with_unknown}},
    };
    struct exchange *exchange = *state;
    struct bytes variable = bytes_of(with_unknown, sizeof with_unknown);
    struct bytes config = exchange_join(exchange, variable, hook_variables(exchange, LIST("B=1"))), before, applied;
    assert_true(hook_facts_of(MODEL_CONTAINER, config, exchange->arena, &before, &exchange->error));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hook_changes changes;
        const char *const *const answers[] = {cases[i].answer, NULL};
        struct bytes after = merge_all(exchange, before, answers, &changes);
        assert_true(hook_facts_apply(MODEL_CONTAINER, config, before, after, exchange->arena, &applied, &exchange->error));
        struct bytes expected = exchange_join(exchange, cases[i].variable, hook_variables(exchange, LIST("B=2")));
        assert_true(bytes_equal(applied, expected));
    }
}

TEST(several_plugins_end_in_the_configuration_in_order)
{
    static const char *const kubelet[] = {"S=1", "A=1", "BAD=\xff", "A=2", "Z=9", NULL};
    const char *const *const answers[] = {
        LIST("S=1", "Z=9", "NEW=1"),                        /* removes the last A: the first can now be sent */
        LIST("S=2", "Z=9", "NEW=1", "A=3", "BAD=replaced"), /* changes it */
        LIST("S=2", "A=3", "BAD=replaced", "Z=8"),          /* removes NEW */
        NULL,
    };
    struct exchange *exchange = *state;
    struct hook_changes changes;
    struct bytes config = exchange_join(exchange, hook_variables(exchange, kubelet),
                                        hook_config(exchange, MODEL_CONTAINER, "{'image': {'image': 'i'}, 'tty': true}"));
    struct bytes before, applied;
    assert_true(hook_facts_of(MODEL_CONTAINER, config, exchange->arena, &before, &exchange->error));
    struct bytes after = merge_all(exchange, before, answers, &changes);
    hook_expect_variables(after, LIST("S=2", "A=3", "BAD=\xff", "Z=8", "BAD=replaced"));
    assert_true(hook_facts_apply(MODEL_CONTAINER, config, before, after, exchange->arena, &applied, &exchange->error));
    hook_expect_variables(applied, LIST("S=2", "A=3", "BAD=\xff", "Z=8", "BAD=replaced"));
}
