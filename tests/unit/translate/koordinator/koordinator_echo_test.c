/* Koordinator's protocol: what answers repeat of the request is dropped, and nothing else. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/koordinator/koordinator_fixture.h"
#include "translate/bytes/wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hook_stage run_pod = {HOOK_RUN_POD, HOOK_BEFORE};
static const struct hook_stage create_container = {HOOK_CREATE_CONTAINER, HOOK_BEFORE};

enum { CONTAINER_ANNOTATIONS = 1, CONTAINER_RESOURCES = 2, CONTAINER_CGROUP_PARENT = 3, CONTAINER_ENVS = 4 };

/* For each field of a request the field of the answer with that name, or 0. */
static const uint32_t of_pod[] = {[3] = 1, [4] = 2, [5] = 3, [7] = 4};
static const uint32_t of_container[] = {
    [3] = CONTAINER_ANNOTATIONS, [4] = CONTAINER_RESOURCES, [8] = CONTAINER_CGROUP_PARENT, [9] = CONTAINER_ENVS};

/* What was sent, and the answer that repeats it. */
struct talk {
    struct bytes request;
    struct bytes echo;
};

/* The answer that repeats a request: the fields in their order, or each in front of those before. */
static struct bytes echo_of(struct exchange *exchange, struct bytes request, const uint32_t *numbers, size_t count, bool reversed)
{
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field field;
    struct bytes echo = {0};
    while (reader.at < reader.end) {
        assert_true(wire_read_field(&reader, &field));
        if (field.number < count && numbers[field.number] != 0) {
            struct bytes echoed = exchange_field(exchange, numbers[field.number], field.payload);
            echo = reversed ? exchange_join(exchange, echoed, echo) : exchange_join(exchange, echo, echoed);
        }
    }
    return echo;
}

static struct hook_facts facts_of(struct exchange *exchange)
{
    return (struct hook_facts){.pod = model_bytes(exchange, "PodSandboxConfig", fixture_pod),
                               .container = model_bytes(exchange, "ContainerConfig", fixture_container)};
}

static struct talk talk_of(struct exchange *exchange, bool reversed)
{
    struct hook_facts facts = facts_of(exchange);
    struct bytes request = request_bytes(exchange, create_container, &facts);
    return (struct talk){request, echo_of(exchange, request, of_container, COUNT(of_container), reversed)};
}

static struct bytes rest_of(struct exchange *exchange, struct hook_stage stage, struct bytes request, struct bytes answer)
{
    struct bytes rest;
    const struct hook_sent *sent = koordinator_protocol.prepare_rest(stage, request, exchange->arena);
    assert_non_null(sent);
    if (!koordinator_protocol.rest(sent, answer, exchange->arena, &rest, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    return rest;
}

static void expect_rest(struct exchange *exchange, const struct talk *talk, struct bytes answer, struct bytes expected)
{
    struct bytes rest = rest_of(exchange, create_container, talk->request, answer);
    assert_int_equal(rest.len, expected.len);
    assert_true(bytes_equal(rest, expected));
}

/* The echo without the fields of that number. */
static struct bytes without(struct exchange *exchange, struct bytes echo, uint32_t number)
{
    struct wire_reader reader = wire_reader_of(echo);
    struct wire_field field;
    struct bytes left = {0};
    while (reader.at < reader.end) {
        assert_true(wire_read_field(&reader, &field));
        if (field.number != number) {
            left = exchange_join(exchange, left, bytes_of(field.start, (size_t)(field.end - field.start)));
        }
    }
    return left;
}

/* The first field of that number, or all of them. */
static struct bytes only(struct exchange *exchange, struct bytes echo, uint32_t number, bool first)
{
    struct wire_reader reader = wire_reader_of(echo);
    struct wire_field field;
    struct bytes found = {0};
    while (reader.at < reader.end && !(first && found.len > 0)) {
        assert_true(wire_read_field(&reader, &field));
        if (field.number == number) {
            found = exchange_join(exchange, found, bytes_of(field.start, (size_t)(field.end - field.start)));
        }
    }
    assert_true(found.len > 0);
    return found;
}

EACH_TEST(exchange_begin, exchange_end)

TEST(nothing_is_left_of_an_echo)
{
    struct exchange *exchange = *state;
    struct hook_facts facts = facts_of(exchange);
    struct bytes request = request_bytes(exchange, run_pod, &facts);
    struct bytes echo = echo_of(exchange, request, of_pod, COUNT(of_pod), false);
    assert_true(echo.len > 0);
    assert_int_equal(rest_of(exchange, run_pod, request, echo).len, 0);
    for (int reversed = 0; reversed < 2; reversed++) {
        struct talk talk = talk_of(exchange, reversed != 0);
        assert_true(talk.echo.len > 0);
        expect_rest(exchange, &talk, talk.echo, (struct bytes){0});
    }
}

TEST(a_field_that_the_plugin_left_out_was_not_repeated)
{
    struct exchange *exchange = *state;
    struct talk talk = talk_of(exchange, false);
    for (uint32_t number = CONTAINER_ANNOTATIONS; number <= CONTAINER_ENVS; number++) {
        expect_rest(exchange, &talk, without(exchange, talk.echo, number), (struct bytes){0});
    }
    expect_rest(exchange, &talk, (struct bytes){0}, (struct bytes){0});
}

TEST(what_differs_stays_and_the_rest_goes)
{
    struct exchange *exchange = *state;
    struct talk talk = talk_of(exchange, false);
    struct bytes resources = exchange_field(exchange, CONTAINER_RESOURCES, BYTES(0x10, 0x05));
    struct bytes changed = exchange_join(exchange, without(exchange, talk.echo, CONTAINER_RESOURCES), resources);
    expect_rest(exchange, &talk, changed, resources);
    resources = exchange_field(exchange, CONTAINER_RESOURCES, (struct bytes){0});
    changed = exchange_join(exchange, without(exchange, talk.echo, CONTAINER_RESOURCES), resources);
    expect_rest(exchange, &talk, changed, resources);
    struct bytes unknown = exchange_field(exchange, 99, bytes_of_string("x"));
    expect_rest(exchange, &talk, exchange_join(exchange, talk.echo, unknown), unknown);
}

/* A variable that is missing was removed, one more was added, and one that comes twice is judged with the others. */
TEST(of_a_map_that_differs_all_entries_stay)
{
    struct exchange *exchange = *state;
    struct talk talk = talk_of(exchange, false);
    struct bytes envs = only(exchange, talk.echo, CONTAINER_ENVS, false);
    struct bytes first = only(exchange, talk.echo, CONTAINER_ENVS, true);
    struct bytes others = without(exchange, talk.echo, CONTAINER_ENVS);
    assert_true(first.len < envs.len);
    struct bytes more = exchange_join(exchange, envs, text_entry(exchange, CONTAINER_ENVS, "NEW", "1"));
    struct bytes twice = exchange_join(exchange, envs, first);
    struct bytes same_count = exchange_join(exchange, first, first);
    expect_rest(exchange, &talk, exchange_join(exchange, others, first), first);
    expect_rest(exchange, &talk, exchange_join(exchange, others, more), more);
    expect_rest(exchange, &talk, exchange_join(exchange, others, twice), twice);
    expect_rest(exchange, &talk, exchange_join(exchange, others, same_count), same_count);
}

/* What must be refused is refused as before. */
TEST(what_is_no_answer_stays_as_it_is)
{
    struct exchange *exchange = *state;
    struct talk talk = talk_of(exchange, false);
    struct bytes resources = only(exchange, talk.echo, CONTAINER_RESOURCES, true);
    struct bytes twice = exchange_join(exchange, resources, resources);
    expect_rest(exchange, &talk, exchange_join(exchange, resources, talk.echo), twice);
    struct bytes cut = bytes_of(talk.echo.data, talk.echo.len - 1);
    expect_rest(exchange, &talk, cut, cut);
    struct bytes wrong_type = exchange_join(exchange, talk.echo, BYTES(CONTAINER_ENVS << 3, 0x01));
    expect_rest(exchange, &talk, wrong_type, wrong_type);
}

TEST(the_arenas_cap_holds)
{
    struct exchange *exchange = *state;
    struct talk talk = talk_of(exchange, false);
    struct error error = {0};
    struct bytes rest;
    struct arena *arena = arena_new(1);
    assert_non_null(arena);
    assert_null(koordinator_protocol.prepare_rest(create_container, talk.request, arena));
    const struct hook_sent *sent = koordinator_protocol.prepare_rest(create_container, talk.request, exchange->arena);
    assert_non_null(sent);
    assert_false(koordinator_protocol.rest(sent, talk.echo, arena, &rest, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(arena);
}
