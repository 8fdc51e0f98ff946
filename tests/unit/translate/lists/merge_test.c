/* Answers of several runtimes that become one: what is told once, and what is not told of all. */
#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/lists/merge.h"

/* Runtime 0 serves the default handler and runc, runtime 1 kata. */
static bool serves(void *state, size_t runtime, struct bytes handler)
{
    bool kata = bytes_equal(handler, bytes_of_string("kata"));
    bool runc = handler.len == 0 || bytes_equal(handler, bytes_of_string("runc"));
    return runtime == 1 ? kata : runtime == 0 && runc;
}

/* What the map knows of them: the default handler and kata, and nothing of runtime 2. */
static bool handler_at(void *state, size_t runtime, size_t index, struct bytes *handler)
{
    *handler = runtime == 1 ? bytes_of_string("kata") : (struct bytes){0};
    return runtime < 2 && index == 0;
}

#define MOST_PARTS 3

/* Trims the answers, and expects their sequence to be the message. */
static void expect_merged(struct exchange *exchange, const char *name, enum dialect dialect, const char *const *answers,
                          const char *merged)
{
    const struct method *method = method_by_name(name);
    const struct merging merging = {
        .method = method, .dialect = dialect, .arena = exchange->arena, .serves = serves, .handler_at = handler_at};
    struct merge_part parts[MOST_PARTS];
    size_t count = 0;
    for (; answers[count]; count++) {
        parts[count] =
            (struct merge_part){.response = exchange_response_bytes(exchange, name, dialect, answers[count]), .runtime = count};
    }
    assert_true(merge_trim(&merging, parts, count));
    struct bytes whole = {0};
    for (size_t i = 0; i < count; i++) {
        whole = exchange_join(exchange, whole, parts[i].response);
    }
    exchange_expect_message(method->in[dialect].response, whole, merged);
}

#define ANSWERS(...) ((const char *const[]){__VA_ARGS__, NULL})

EACH_TEST(exchange_begin, exchange_end)

TEST(a_status_has_the_handlers_that_lead_to_their_runtime)
{
    expect_merged(*state, "Status", DIALECT_V1,
                  ANSWERS("{'status': {'conditions': [{'type': 'RuntimeReady', 'status': true}]}, 'info': {'config': '{}'},"
                          " 'runtimeHandlers': [{'features': {'userNamespaces': true}}, {'name': 'runc'}, {'name': 'kata'}]}",
                          "{'status': {'conditions': [{'type': 'RuntimeReady', 'status': false}]}, 'info': {'config': 'other'},"
                          " 'runtimeHandlers': [{}, {'name': 'kata', 'features': {'recursiveReadOnlyMounts': true}}]}"),
                  "{'status': {'conditions': [{'type': 'RuntimeReady', 'status': true}]}, 'info': {'config': '{}'},"
                  " 'runtimeHandlers': [{'features': {'userNamespaces': true}}, {'name': 'runc'},"
                  " {'name': 'kata', 'features': {'recursiveReadOnlyMounts': true}}]}");
}

TEST(a_runtime_that_reports_no_handlers_has_those_of_the_map)
{
    const char *conditions = "{'status': {'conditions': [{'type': 'RuntimeReady', 'status': true}]}}";
    const char *modern = "{'runtimeHandlers': [{'features': {'userNamespaces': true}}, {'name': 'runc'}]}";
    expect_merged(*state, "Status", DIALECT_V1, ANSWERS(modern, conditions),
                  "{'runtimeHandlers': [{'features': {'userNamespaces': true}}, {'name': 'runc'}, {'name': 'kata'}]}");
    expect_merged(*state, "Status", DIALECT_V1,
                  ANSWERS(conditions, "{'runtimeHandlers': [{}, {'name': 'kata', 'features': {}}]}"),
                  "{'status': {'conditions': [{'type': 'RuntimeReady', 'status': true}]},"
                  " 'runtimeHandlers': [{}, {'name': 'kata', 'features': {}}]}");
    /* One that reports some has those and no others. */
    expect_merged(*state, "Status", DIALECT_V1, ANSWERS(modern, "{'runtimeHandlers': [{'name': 'other'}]}", "{}"), modern);
}

TEST(a_status_has_the_features_that_all_have)
{
    expect_merged(*state, "Status", DIALECT_V1,
                  ANSWERS("{'features': {'supplementalGroupsPolicy': true, 'mountOptions': true}}",
                          "{'features': {'supplementalGroupsPolicy': true, 'userNamespacesHostNetwork': true}}"),
                  "{'runtimeHandlers': [{}, {'name': 'kata'}], 'features': {'supplementalGroupsPolicy': true}}");
    expect_merged(*state, "Status", DIALECT_V1, ANSWERS("{'features': {'supplementalGroupsPolicy': true}}", "{}"),
                  "{'runtimeHandlers': [{}, {'name': 'kata'}], 'features': {}}");
    /* What the primary does not tell of is not told. */
    expect_merged(*state, "Status", DIALECT_V1, ANSWERS("{}", "{'features': {'supplementalGroupsPolicy': true}}"),
                  "{'runtimeHandlers': [{}, {'name': 'kata'}]}");
}

static bool no_handler_at(void *state, size_t runtime, size_t index, struct bytes *handler)
{
    (void)runtime;
    (void)index;
    (void)handler;
    return false;
}

TEST(a_feature_that_is_not_known_yet_counts_as_well)
{
    struct exchange *exchange = *state;
    const struct merging merging = {.method = method_by_name("Status"),
                                    .dialect = DIALECT_V1,
                                    .arena = exchange->arena,
                                    .serves = serves,
                                    .handler_at = no_handler_at};
    struct merge_part parts[] = {
        {.response = BYTES(0x22, 4, 0x48, 1, 0x50, 1)}, /* features: 9 and 10 */
        {.response = BYTES(0x22, 4, 0x48, 1, 0x50, 0)}, /* features: 9, and 10 is false */
    };
    assert_true(merge_trim(&merging, parts, 2));
    assert_true(bytes_equal(parts[0].response, BYTES(0x22, 2, 0x48, 1)));
    assert_int_equal(parts[1].response.len, 0);
}

TEST(older_callers_hear_nothing_of_others)
{
    assert_false(merge_takes_others(method_by_name("Status"), DIALECT_V1ALPHA2));
    assert_true(merge_takes_others(method_by_name("Status"), DIALECT_V1));
    assert_true(merge_takes_others(method_by_name("ImageFsInfo"), DIALECT_V1_9));
}

TEST(a_shared_filesystem_is_told_once)
{
    expect_merged(
        *state, "ImageFsInfo", DIALECT_V1,
        ANSWERS("{'imageFilesystems': [{'fsId': {'mountpoint': '/var/lib/a'}, 'usedBytes': {'value': '1'}}]}",
                "{'imageFilesystems': [{'fsId': {'mountpoint': '/var/lib/b'}}, {'fsId': {'mountpoint': '/var/lib/a'}}]}",
                "{'imageFilesystems': [{'fsId': {'mountpoint': '/var/lib/b'}}]}"),
        "{'imageFilesystems': [{'fsId': {'mountpoint': '/var/lib/a'}, 'usedBytes': {'value': '1'}},"
        " {'fsId': {'mountpoint': '/var/lib/b'}}]}");
    expect_merged(
        *state, "ImageFsInfo", DIALECT_V1_9,
        ANSWERS("{'imageFilesystems': [{'storageId': {'uuid': 'a'}}]}", "{'imageFilesystems': [{'storageId': {'uuid': 'a'}}]}"),
        "{'imageFilesystems': [{'storageId': {'uuid': 'a'}}]}");
    /* Two that say nothing of where they are may be two. */
    expect_merged(*state, "ImageFsInfo", DIALECT_V1, ANSWERS("{'imageFilesystems': [{}]}", "{'imageFilesystems': [{}]}"),
                  "{'imageFilesystems': [{}, {}]}");
}

TEST(a_filesystem_of_containers_is_only_told_where_the_primary_has_one)
{
    expect_merged(
        *state, "ImageFsInfo", DIALECT_V1,
        ANSWERS(
            "{'imageFilesystems': [{'fsId': {'mountpoint': '/a'}}]}",
            "{'imageFilesystems': [{'fsId': {'mountpoint': '/b'}}], 'containerFilesystems': [{'fsId': {'mountpoint': '/b'}}]}"),
        "{'imageFilesystems': [{'fsId': {'mountpoint': '/a'}}, {'fsId': {'mountpoint': '/b'}}]}");
    expect_merged(
        *state, "ImageFsInfo", DIALECT_V1,
        ANSWERS(
            "{'imageFilesystems': [{'fsId': {'mountpoint': '/a'}}], 'containerFilesystems': [{'fsId': {'mountpoint': '/a'}}]}",
            "{'imageFilesystems': [{'fsId': {'mountpoint': '/b'}}], 'containerFilesystems': [{'fsId': {'mountpoint': '/b'}}]}"),
        "{'imageFilesystems': [{'fsId': {'mountpoint': '/a'}}, {'fsId': {'mountpoint': '/b'}}],"
        " 'containerFilesystems': [{'fsId': {'mountpoint': '/a'}}, {'fsId': {'mountpoint': '/b'}}]}");
}

TEST(a_metric_is_described_once)
{
    expect_merged(*state, "ListMetricDescriptors", DIALECT_V1,
                  ANSWERS("{'descriptors': [{'name': 'cpu', 'help': 'first'}, {'name': 'memory'}]}",
                          "{'descriptors': [{'name': 'cpu', 'help': 'second'}, {'name': 'disk'}]}"),
                  "{'descriptors': [{'name': 'cpu', 'help': 'first'}, {'name': 'memory'}, {'name': 'disk'}]}");
}

TEST(an_answer_that_stays_is_not_copied)
{
    struct exchange *exchange = *state;
    const struct merging merging = {.method = method_by_name("ListMetricDescriptors"),
                                    .dialect = DIALECT_V1,
                                    .arena = exchange->arena,
                                    .serves = serves,
                                    .handler_at = handler_at};
    struct bytes response =
        exchange_response_bytes(exchange, "ListMetricDescriptors", DIALECT_V1, "{'descriptors': [{'name': 'a'}]}");
    struct merge_part part = {.response = response};
    assert_true(merge_trim(&merging, &part, 1));
    assert_false(part.changed);
    assert_ptr_equal(part.response.data, response.data);
}

TEST(malformed_answers_and_want_of_memory_are_survived)
{
    struct exchange *exchange = *state;
    const struct merging merging = {.method = method_by_name("ListMetricDescriptors"),
                                    .dialect = DIALECT_V1,
                                    .arena = exchange->arena,
                                    .serves = serves,
                                    .handler_at = handler_at};
    struct merge_part parts[] = {{.response = BYTES(0x0a, 3, 0x0a, 1, 'a', 0x0a, 90)},
                                 {.response = BYTES(0x0a, 3, 0x0a, 1, 'a')}};
    assert_true(merge_trim(&merging, parts, 2));
    assert_false(parts[0].changed);
    assert_int_equal(parts[1].response.len, 0);
    exchange_cap(exchange, 16);
    const struct merging poor = {
        .method = merging.method, .dialect = DIALECT_V1, .arena = exchange->arena, .serves = serves, .handler_at = handler_at};
    assert_false(merge_trim(&poor, parts, 2));
}
