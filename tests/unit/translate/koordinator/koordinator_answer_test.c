/* Koordinator's protocol: how answers of plugins are read, good and hostile ones. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/koordinator/koordinator_fixture.h"
#include "translate/bytes/wire.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hook_stage run_pod = {HOOK_RUN_POD, HOOK_BEFORE};
static const struct hook_stage create_container = {HOOK_CREATE_CONTAINER, HOOK_BEFORE};

enum { POD_LABELS = 1, POD_ANNOTATIONS = 2, POD_CGROUP_PARENT = 3, POD_RESOURCES = 4 };
enum { CONTAINER_ANNOTATIONS = 1, CONTAINER_RESOURCES = 2, CONTAINER_CGROUP_PARENT = 3, CONTAINER_ENVS = 4 };
enum { CPUSET_CPUS = 6, HUGEPAGE_LIMITS = 8, UNIFIED = 9 };

static struct hook_facts read_answer(struct exchange *exchange, struct hook_stage stage, struct bytes bytes)
{
    struct hook_facts answer = {.handler = BYTES('x')};
    if (!koordinator_protocol.answer(stage, bytes, exchange->arena, &answer, &exchange->error)) {
        fail_msg("%s", exchange->error.message);
    }
    assert_int_equal(answer.pod_id.len + answer.container_id.len + answer.handler.len, 0);
    return answer;
}

static void expect_facts(const char *message, struct bytes bytes, const char *json)
{
    exchange_expect_message(schema_message_by_name(DIALECT_MODEL, message), bytes, json);
}

EACH_TEST(exchange_begin, exchange_end)

TEST(a_pods_answer_has_what_may_change)
{
    struct exchange *exchange = *state;
    struct bytes bytes = exchange_join(exchange, text_entry(exchange, POD_LABELS, "app", "web"),
                                       text_entry(exchange, POD_ANNOTATIONS, "note", ""));
    bytes = exchange_join(exchange, bytes, exchange_field(exchange, POD_CGROUP_PARENT, bytes_of_string("/besteffort/pod1")));
    bytes = exchange_join(exchange, bytes, exchange_field(exchange, POD_RESOURCES, BYTES(0x10, 0x05)));
    struct hook_facts answer = read_answer(exchange, run_pod, bytes);
    expect_facts("PodSandboxConfig", answer.pod,
                 "{'labels': {'app': 'web'}, 'annotations': {'note': ''}, 'linux': {'cgroupParent': '/besteffort/pod1'}}");
    assert_int_equal(answer.container.len, 0);
}

TEST(a_containers_answer_has_what_may_change)
{
    struct exchange *exchange = *state;
    struct bytes resources = model_bytes(exchange, "LinuxContainerResources",
                                         "{'cpuQuota': '-1', 'cpusetCpus': '1', 'hugepageLimits': [{'pageSize': '2MB'}],"
                                         " 'unified': {'a': 'b'}}");
    struct bytes bytes = exchange_join(exchange, text_entry(exchange, CONTAINER_ANNOTATIONS, "k", "v"),
                                       exchange_field(exchange, CONTAINER_RESOURCES, resources));
    bytes = exchange_join(exchange, bytes, exchange_field(exchange, CONTAINER_CGROUP_PARENT, bytes_of_string("/p")));
    bytes = exchange_join(exchange, bytes, text_entry(exchange, CONTAINER_ENVS, "B", "2"));
    bytes = exchange_join(exchange, bytes, text_entry(exchange, CONTAINER_ENVS, "A", "1"));
    struct hook_facts answer = read_answer(exchange, create_container, bytes);
    expect_facts("ContainerConfig", answer.container,
                 "{'annotations': {'k': 'v'}, 'envs': [{'key': 'A', 'value': '1'}, {'key': 'B', 'value': '2'}],"
                 " 'linux': {'resources': {'cpuQuota': '-1', 'cpusetCpus': '1', 'hugepageLimits': [{'pageSize': '2MB'}],"
                 " 'unified': {'a': 'b'}}}}");
    expect_facts("PodSandboxConfig", answer.pod, "{'linux': {'cgroupParent': '/p'}}");
}

TEST(resources_are_there_only_if_the_answer_has_them)
{
    struct exchange *exchange = *state;
    struct bytes empty = exchange_field(exchange, CONTAINER_RESOURCES, (struct bytes){0});
    expect_facts("ContainerConfig", read_answer(exchange, create_container, empty).container, "{'linux': {'resources': {}}}");
    struct bytes cleared = exchange_field(exchange, CONTAINER_RESOURCES, BYTES(0x32, 0x00, 0x10, 0x00)); /* "" and 0 */
    expect_facts("ContainerConfig", read_answer(exchange, create_container, cleared).container, "{'linux': {'resources': {}}}");
    struct bytes other = text_entry(exchange, CONTAINER_ANNOTATIONS, "k", "v");
    expect_facts("ContainerConfig", read_answer(exchange, create_container, other).container, "{'annotations': {'k': 'v'}}");
}

TEST(an_empty_answer_says_nothing)
{
    struct exchange *exchange = *state;
    for (int point = HOOK_NONE; point < HOOK_POINT_COUNT; point++) {
        for (int time = HOOK_BEFORE; time <= HOOK_AFTER; time++) {
            struct hook_stage stage = {(enum hook_point)point, (enum hook_time)time};
            if (koordinator_protocol.path(stage)) {
                struct hook_facts answer = read_answer(exchange, stage, (struct bytes){0});
                assert_int_equal(answer.pod.len + answer.container.len, 0);
            }
        }
    }
    struct bytes empty_parent = exchange_field(exchange, POD_CGROUP_PARENT, (struct bytes){0});
    assert_int_equal(read_answer(exchange, run_pod, empty_parent).pod.len, 0);
}

TEST(of_entries_with_one_key_the_last_counts)
{
    struct exchange *exchange = *state;
    struct bytes bytes =
        exchange_join(exchange, text_entry(exchange, CONTAINER_ENVS, "A", "1"), text_entry(exchange, CONTAINER_ENVS, "B", "2"));
    bytes = exchange_join(exchange, bytes, text_entry(exchange, CONTAINER_ENVS, "A", "3"));
    struct bytes twice = exchange_join(exchange, exchange_field(exchange, 2, bytes_of_string("x")),
                                       exchange_field(exchange, 2, bytes_of_string("2")));
    bytes = exchange_join(exchange, bytes, exchange_field(exchange, CONTAINER_ENVS, twice));
    expect_facts("ContainerConfig", read_answer(exchange, create_container, bytes).container,
                 "{'envs': [{'value': '2'}, {'key': 'A', 'value': '3'}, {'key': 'B', 'value': '2'}]}");
}

static void expect_refused(struct exchange *exchange, struct hook_stage stage, struct bytes bytes, const char *message)
{
    struct hook_facts answer;
    exchange->error = (struct error){0};
    assert_false(koordinator_protocol.answer(stage, bytes, exchange->arena, &answer, &exchange->error));
    assert_string_equal(exchange->error.message, message);
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_int_equal(answer.pod.len + answer.container.len, 0);
}

TEST(text_with_a_nul_or_that_is_no_utf8_is_refused_by_its_field)
{
    struct exchange *exchange = *state;
    const struct {
        struct bytes text;
        const char *what;
    } kinds[] = {
        {BYTES('a', 0), "the string contains a NUL byte"},
        {BYTES(0xFF), "the string is not valid UTF-8"},
        {BYTES(0xED, 0xA0, 0x80), "the string is not valid UTF-8"}, /* a surrogate */
    };
    struct bytes good = bytes_of_string("x");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct bytes bad = kinds[i].text;
        struct bytes limit = exchange_field(exchange, HUGEPAGE_LIMITS, exchange_field(exchange, 1, bad));
        const struct {
            bool pod;
            struct bytes answer;
            const char *field;
        } cases[] = {
            {true, entry(exchange, POD_LABELS, bad, good), "labels.key"},
            {true, entry(exchange, POD_ANNOTATIONS, good, bad), "annotations.value"},
            {true, exchange_field(exchange, POD_CGROUP_PARENT, bad), "cgroup_parent"},
            {true, exchange_field(exchange, POD_RESOURCES, exchange_field(exchange, CPUSET_CPUS, bad)), "resources.cpuset_cpus"},
            {false, entry(exchange, CONTAINER_ENVS, good, bad), "container_envs.value"},
            {false, exchange_field(exchange, CONTAINER_CGROUP_PARENT, bad), "pod_cgroup_parent"},
            {false, exchange_field(exchange, CONTAINER_RESOURCES, limit), "container_resources.hugepage_limits.page_size"},
            {false, exchange_field(exchange, CONTAINER_RESOURCES, entry(exchange, UNIFIED, bad, good)),
             "container_resources.unified.key"},
        };
        for (size_t k = 0; k < COUNT(cases); k++) {
            char message[128];
            snprintf(message, sizeof message, "%s: %s", cases[k].field, kinds[i].what);
            expect_refused(exchange, cases[k].pod ? run_pod : create_container, cases[k].answer, message);
        }
    }
}

TEST(what_is_no_such_message_is_refused)
{
    struct exchange *exchange = *state;
    struct bytes resources = exchange_field(exchange, CONTAINER_RESOURCES, (struct bytes){0});
    const struct {
        struct bytes answer;
        const char *message;
    } cases[] = {
        {BYTES(0x0A), "ContainerResourceHookResponse: it is malformed"},
        {BYTES(0x0A, 0x05, 0x0A), "ContainerResourceHookResponse: it is malformed"},
        {BYTES(0x02, 0x00), "ContainerResourceHookResponse: it is malformed"}, /* field 0 */
        {BYTES(0x0B, 0x0C), "ContainerResourceHookResponse: it is malformed"}, /* a group */
        {BYTES(0x12, 0x02, 0x10, 0xFF), "container_resources: it is malformed"},
        {BYTES(0x22, 0x02, 0x0A, 0x01), "container_envs: it is malformed"},
        {BYTES(0x08, 0x01), "container_annotations: its wire type differs from the schema"},
        {BYTES(0x12, 0x02, 0x0A, 0x00), "container_resources.cpu_period: its wire type differs from the schema"},
        {BYTES(0x12, 0x05, 0x15, 0, 0, 0, 0), "container_resources.cpu_quota: its wire type differs from the schema"},
        {exchange_join(exchange, resources, resources),
         "container_resources: it occurs twice, and decoders disagree about what that means"},
        /* The answer to a pod's hook. */
        {exchange_join(exchange, text_entry(exchange, POD_LABELS, "a", "b"), text_entry(exchange, POD_ANNOTATIONS, "c", "d")),
         "container_resources.cpu_period: its wire type differs from the schema"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_refused(exchange, create_container, cases[i].answer, cases[i].message);
    }
}

/* Cut anywhere between two fields, it is a shorter answer; cut anywhere else, it is none. */
TEST(a_cut_answer_is_refused)
{
    struct exchange *exchange = *state;
    struct bytes first = text_entry(exchange, CONTAINER_ANNOTATIONS, "key", "value");
    struct bytes whole = exchange_join(exchange, first, exchange_field(exchange, CONTAINER_CGROUP_PARENT, bytes_of_string("/p")));
    for (size_t len = 0; len <= whole.len; len++) {
        struct hook_facts answer;
        bool read = koordinator_protocol.answer(create_container, bytes_of(whole.data, len), exchange->arena, &answer, NULL);
        assert_int_equal(read, len == 0 || len == first.len || len == whole.len);
    }
}

/* Newer plugins may say more. What is not known is not looked into, however deep it is. */
TEST(unknown_fields_are_skipped)
{
    struct exchange *exchange = *state;
    struct bytes deep = BYTES(0xFF, 0x00);
    for (size_t i = 0; i < 500; i++) {
        deep = exchange_field(exchange, 15, deep);
    }
    struct bytes bytes = exchange_join(exchange, deep, exchange_field(exchange, POD_CGROUP_PARENT, bytes_of_string("/p")));
    bytes = exchange_join(exchange, bytes, BYTES(0x70, 0x01, 0x6D, 0, 0, 0, 0, 0x61, 0, 0, 0, 0, 0, 0, 0, 0));
    expect_facts("PodSandboxConfig", read_answer(exchange, run_pod, bytes).pod, "{'linux': {'cgroupParent': '/p'}}");
    struct bytes nested = (struct bytes){0};
    for (size_t i = 0; i < 500; i++) {
        nested = exchange_field(exchange, CONTAINER_RESOURCES, nested);
    }
    expect_refused(exchange, create_container, nested, "container_resources.cpu_quota: its wire type differs from the schema");
}

TEST(an_answer_has_at_most_its_size)
{
    struct exchange *exchange = *state;
    enum { HEADS = 6 }; /* of the field, with a length of three bytes, and of what follows */
    char *text = arena_zalloc(exchange->arena, HOOK_ANSWER_SIZE + 1);
    assert_non_null(text);
    memset(text, 'x', HOOK_ANSWER_SIZE);
    struct bytes full = exchange_field(exchange, CONTAINER_CGROUP_PARENT, bytes_of(text, HOOK_ANSWER_SIZE - HEADS + 2));
    assert_int_equal(full.len, HOOK_ANSWER_SIZE);
    struct hook_facts answer = read_answer(exchange, create_container, full);
    assert_true(answer.pod.len >= HOOK_ANSWER_SIZE && answer.pod.len <= HOOK_ANSWER_SIZE + HEADS);

    struct bytes more = exchange_field(exchange, CONTAINER_CGROUP_PARENT, bytes_of(text, HOOK_ANSWER_SIZE - HEADS + 3));
    assert_int_equal(more.len, HOOK_ANSWER_SIZE + 1);
    assert_false(koordinator_protocol.answer(create_container, more, exchange->arena, &answer, &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_RESOURCE_EXHAUSTED);
    assert_string_equal(exchange->error.message, "the answer has 1048577 bytes, more than 1048576");
}

TEST(an_answer_has_at_most_so_many_fields)
{
    struct exchange *exchange = *state;
    enum { OF_AN_ENTRY = 3, ENTRIES = HOOK_ANSWER_FIELDS / OF_AN_ENTRY, REST = HOOK_ANSWER_FIELDS % OF_AN_ENTRY };
    struct bytes one = text_entry(exchange, CONTAINER_ENVS, "", "");
    uint8_t *data = arena_alloc(exchange->arena, ENTRIES * one.len);
    assert_non_null(data);
    for (size_t i = 0; i < ENTRIES; i++) {
        memcpy(data + i * one.len, one.data, one.len);
    }
    static const uint8_t unknown[] = {0x70, 0x01};
    size_t len = ENTRIES * one.len;
    struct bytes most = bytes_of(data, len);
    for (size_t i = 0; i < REST; i++) {
        most = exchange_join(exchange, most, bytes_of(unknown, sizeof unknown));
    }
    expect_facts("ContainerConfig", read_answer(exchange, create_container, most).container, "{'envs': [{}]}");
    struct bytes more = exchange_join(exchange, most, bytes_of(unknown, sizeof unknown));
    struct hook_facts answer;
    assert_false(koordinator_protocol.answer(create_container, more, exchange->arena, &answer, &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_RESOURCE_EXHAUSTED);
    assert_string_equal(exchange->error.message, "the answer has more than 65536 fields");
}

/* Whatever the cap, it is the answer or RESOURCE_EXHAUSTED. */
TEST(the_arenas_cap_holds)
{
    struct exchange *exchange = *state;
    const struct hook_facts facts = {.pod = model_bytes(exchange, "PodSandboxConfig", fixture_pod),
                                     .container = model_bytes(exchange, "ContainerConfig", fixture_container)};
    struct bytes answer = text_entry(exchange, CONTAINER_ENVS, "A", "1");
    size_t refused = 0;
    for (size_t cap = 0; cap < 2048; cap += 16) {
        struct arena *arena = arena_new(cap);
        assert_non_null(arena);
        struct bytes request;
        struct hook_facts read;
        struct error error = {0};
        if (!koordinator_protocol.request(create_container, &facts, arena, &request, &error)) {
            assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
            refused++;
        }
        if (!koordinator_protocol.answer(create_container, answer, arena, &read, &error)) {
            assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
            refused++;
        }
        arena_unref(arena);
    }
    assert_true(refused >= 2 && refused <= 200);
}

/* Where a plugin that echoes puts a field of the request. */
static struct bytes echo(struct exchange *exchange, struct bytes request, const uint32_t *numbers, size_t count)
{
    struct wire_reader reader = wire_reader_of(request);
    struct wire_field field;
    struct bytes answer = {0};
    while (reader.at < reader.end) {
        assert_true(wire_read_field(&reader, &field));
        if (field.number < count && numbers[field.number] != 0) {
            answer = exchange_join(exchange, answer, exchange_field(exchange, numbers[field.number], field.payload));
        }
    }
    return answer;
}

TEST(an_echo_repeats_the_facts)
{
    struct exchange *exchange = *state;
    static const uint32_t of_pod[] = {[3] = POD_LABELS, [4] = POD_ANNOTATIONS, [5] = POD_CGROUP_PARENT, [7] = POD_RESOURCES};
    static const uint32_t of_container[] = {
        [3] = CONTAINER_ANNOTATIONS, [4] = CONTAINER_RESOURCES, [8] = CONTAINER_CGROUP_PARENT, [9] = CONTAINER_ENVS};
    const struct hook_facts facts = {.pod = model_bytes(exchange, "PodSandboxConfig", fixture_pod),
                                     .container = model_bytes(exchange, "ContainerConfig", fixture_container)};
    struct bytes bytes = echo(exchange, request_bytes(exchange, run_pod, &facts), of_pod, COUNT(of_pod));
    expect_facts("PodSandboxConfig", read_answer(exchange, run_pod, bytes).pod,
                 "{'labels': {'app': 'web', 'qos': 'LS'}, 'annotations': {'note': 'text', 'empty': ''},"
                 " 'linux': {'cgroupParent': '/kubepods/pod1'}}");
    bytes = echo(exchange, request_bytes(exchange, create_container, &facts), of_container, COUNT(of_container));
    struct hook_facts answer = read_answer(exchange, create_container, bytes);
    expect_facts("PodSandboxConfig", answer.pod, "{'linux': {'cgroupParent': '/kubepods/pod1'}}");
    expect_facts("ContainerConfig", answer.container,
                 "{'annotations': {'hash': 'abc'}, 'envs': [{'key': 'A', 'value': '1'}, {'key': 'B', 'value': '2'}],"
                 " 'linux': {'resources': {'cpuPeriod': '100000', 'cpuQuota': '-1', 'cpuShares': '512',"
                 " 'memoryLimitInBytes': '9007199254740993', 'oomScoreAdj': '-998', 'cpusetCpus': '0-3,7', 'cpusetMems': '0',"
                 " 'hugepageLimits': [{'pageSize': '2MB', 'limit': '4194304'}, {'pageSize': '1GB'}],"
                 " 'unified': {'memory.high': '1'}, 'memorySwapLimitInBytes': '5'}}}");
}
