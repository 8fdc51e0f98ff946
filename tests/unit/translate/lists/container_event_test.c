#include <string.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/lists/container_event.h"
#include "translate/schema/method.h"

static const struct schema_message *event_schema(void)
{
    return method_by_name("GetContainerEvents")->in[DIALECT_MODEL].response;
}

static struct bytes event(struct exchange *exchange, const char *json)
{
    return exchange_bytes(exchange, event_schema(), json);
}

static void expect_text(struct bytes bytes, const char *expected)
{
    assert_true(bytes_equal(bytes, bytes_of_string(expected)));
}

#define STOPPED                                                                                                                  \
    "{'containerId': 'c1', 'containerEventType': 'CONTAINER_STOPPED_EVENT', 'createdAt': '77', "                                 \
    "'podSandboxStatus': {'id': 'p1'}, 'containersStatuses': [{'id': 'c0', 'startedAt': '5'}, {'id': 'c1'}]}"

EACH_TEST(exchange_begin, exchange_end)

TEST(an_event_is_taken_apart)
{
    struct container_event read;
    assert_true(container_event_read(DIALECT_MODEL, event(*state, STOPPED), &read));
    expect_text(read.id, "c1");
    expect_text(read.pod, "p1");
    assert_int_equal(read.stage, STAGE_STOPPED);
    assert_int_equal(read.created_at, 77);
    assert_true(read.never_started);
    assert_true(read.has_statuses);
    assert_true(read.pod_status.len > 0);
}

TEST(a_container_that_was_started_or_is_not_told_of_is_no_reason_to_say_never)
{
    struct container_event read;
    assert_true(container_event_read(DIALECT_MODEL,
                                     event(*state, "{'containerId': 'c1', 'containerEventType': 'CONTAINER_STOPPED_EVENT', "
                                                   "'containersStatuses': [{'id': 'c1', 'startedAt': '5'}]}"),
                                     &read));
    assert_false(read.never_started);
    assert_int_equal(read.pod.len, 0);
    assert_true(container_event_read(
        DIALECT_MODEL, event(*state, "{'containerId': 'c1', 'containerEventType': 'CONTAINER_STOPPED_EVENT'}"), &read));
    assert_false(read.never_started);
    assert_false(read.has_statuses);
}

TEST(what_is_no_event_is_refused)
{
    struct exchange *exchange = *state;
    struct container_event read;
    const struct bytes bad[] = {
        BYTES(0),
        event(exchange, "{'containerEventType': 'CONTAINER_STOPPED_EVENT'}"), /* of nothing */
        BYTES(0x0a, 1, 'c', 0x10, 4),                                         /* of a kind that is not known */
        BYTES(0x0a, 1, 'c', 0x12, 1, 'x'),                                    /* another wire type */
        BYTES(0x0a, 9, 'c'),                                                  /* cut off */
        BYTES(0x0a, 1, 'c', 0x22, 2, 0x0a, 9),                                /* a status that is none */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(container_event_read(DIALECT_MODEL, bad[i], &read));
    }
    assert_false(container_event_read(DIALECT_V1_9, event(exchange, STOPPED), &read));
}

TEST(an_earlier_stage_is_told_with_all_else_as_it_is)
{
    struct exchange *exchange = *state;
    struct bytes out;
    assert_true(container_event_retell(DIALECT_MODEL, event(exchange, STOPPED), STAGE_STARTED, exchange->arena, &out));
    exchange_expect_message(event_schema(), out,
                            "{'containerId': 'c1', 'containerEventType': 'CONTAINER_STARTED_EVENT', 'createdAt': '77', "
                            "'podSandboxStatus': {'id': 'p1'}, 'containersStatuses': [{'id': 'c0', 'startedAt': '5'}, "
                            "{'id': 'c1'}]}");
    assert_true(container_event_retell(DIALECT_MODEL, event(exchange, STOPPED), STAGE_CREATED, exchange->arena, &out));
    struct container_event read;
    assert_true(container_event_read(DIALECT_MODEL, out, &read));
    assert_int_equal(read.stage, STAGE_CREATED);
}

TEST(an_event_is_composed_of_statuses)
{
    struct exchange *exchange = *state;
    const struct method *method = method_by_name("PodSandboxStatus");
    struct bytes answer = exchange_response_bytes(exchange, "PodSandboxStatus", DIALECT_MODEL,
                                                  "{'status': {'id': 'p1', 'metadata': {'uid': 'u'}}, 'containersStatuses': "
                                                  "[{'id': 'c1', 'startedAt': '9'}, {'id': 'c2'}]}");
    struct bytes statuses[3];
    size_t count = 0;
    bool never_started = true;
    assert_non_null(method);
    for (size_t at = 0; count < 3 && container_event_next_status(answer, &at, &statuses[count]);) {
        count++;
    }
    assert_int_equal(count, 2);
    assert_true(container_event_is_of(statuses[0], bytes_of_string("c1"), &never_started));
    assert_false(never_started);
    assert_true(container_event_is_of(statuses[1], bytes_of_string("c2"), &never_started));
    assert_true(never_started);
    assert_false(container_event_is_of(statuses[1], bytes_of_string("c1"), &never_started));
    struct container_event_parts parts = {
        .id = bytes_of_string("c1"),
        .stage = STAGE_STARTED,
        .created_at = 12,
        .pod_status = container_event_status(ID_POD, answer),
        .statuses = statuses,
        .status_count = count,
    };
    struct bytes out;
    assert_true(container_event_compose(&parts, exchange->arena, &out));
    exchange_expect_message(event_schema(), out,
                            "{'containerId': 'c1', 'containerEventType': 'CONTAINER_STARTED_EVENT', 'createdAt': '12', "
                            "'podSandboxStatus': {'id': 'p1', 'metadata': {'uid': 'u'}}, 'containersStatuses': "
                            "[{'id': 'c1', 'startedAt': '9'}, {'id': 'c2'}]}");
}

TEST(statuses_are_asked_for_in_every_dialect)
{
    struct exchange *exchange = *state;
    for (enum dialect dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct bytes out;
        assert_true(container_event_ask(ID_POD, dialect, bytes_of_string("p1"), exchange->arena, &out));
        exchange_expect_message(method_by_name("PodSandboxStatus")->in[dialect].request, out, "{'podSandboxId': 'p1'}");
        assert_true(container_event_ask(ID_CONTAINER, dialect, bytes_of_string("c1"), exchange->arena, &out));
        exchange_expect_message(method_by_name("ContainerStatus")->in[dialect].request, out, "{'containerId': 'c1'}");
    }
}

TEST(a_pod_that_is_gone_looks_as_it_was_last_seen)
{
    struct exchange *exchange = *state;
    static const char seen[] = "{'id': 'p1', 'metadata': {'name': 'web', 'uid': 'u'}, 'createdAt': '3', 'labels': {'a': 'b'}}";
    static const char end[] = "{'status': {'id': 'p1', 'metadata': {'name': 'web', 'uid': 'u'}, 'state': 'SANDBOX_NOTREADY', "
                              "'createdAt': '3', 'labels': {'a': 'b'}}}";
    for (enum dialect dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        for (unsigned is_item = 0; is_item < 2; is_item++) {
            const struct schema_message *schema = schema_message_by_name(dialect, is_item ? "PodSandbox" : "PodSandboxStatus");
            struct container_event_pod pod = {
                .dialect = dialect, .is_item = is_item, .message = exchange_bytes(exchange, schema, seen)};
            struct bytes answer;
            assert_true(container_event_pod_at_end(&pod, exchange->arena, &answer));
            exchange_expect_message(method_by_name("PodSandboxStatus")->in[dialect].response, answer, end);
        }
    }
    struct container_event_pod bad = {.dialect = DIALECT_MODEL, .message = BYTES(0x0a, 9)};
    struct bytes answer;
    assert_false(container_event_pod_at_end(&bad, exchange->arena, &answer));
}

TEST(states_say_how_far_it_came)
{
    assert_int_equal(container_stage_of_state(ID_POD, 0), STAGE_STARTED);
    assert_int_equal(container_stage_of_state(ID_POD, 1), STAGE_STOPPED);
    assert_int_equal(container_stage_of_state(ID_CONTAINER, 0), STAGE_CREATED);
    assert_int_equal(container_stage_of_state(ID_CONTAINER, 1), STAGE_STARTED);
    assert_int_equal(container_stage_of_state(ID_CONTAINER, 2), STAGE_STOPPED);
    assert_int_equal(container_stage_of_state(ID_CONTAINER, 3), STAGE_CREATED);
    assert_int_equal(container_stage_of_state(ID_CONTAINER, -1), STAGE_CREATED);
}
