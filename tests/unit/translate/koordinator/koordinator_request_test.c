/* Koordinator's protocol: its hooks, and what plugins get, decoded by the stubs of the protocol. */
#include <stdio.h>

#include "hook_v1alpha1/api.pb-c.h"
#include "tests/cmocka.h"
#include "tests/unit/translate/koordinator/koordinator_fixture.h"
#include "translate/bytes/packing.h"

typedef Runtime__V1alpha1__PodSandboxHookRequest pod_request;
typedef Runtime__V1alpha1__ContainerResourceHookRequest container_request;
typedef Runtime__V1alpha1__LinuxContainerResources hook_resources;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hook_stage run_pod = {HOOK_RUN_POD, HOOK_BEFORE};
static const struct hook_stage create_container = {HOOK_CREATE_CONTAINER, HOOK_BEFORE};

/* ---- stages ---- */

static const struct {
    const char *name;
    struct hook_stage stage;
    bool pod; /* its messages are about a pod, else about a container */
} hooks[] = {
    {"PreRunPodSandbox", {HOOK_RUN_POD, HOOK_BEFORE}, true},
    {"PostStopPodSandbox", {HOOK_STOP_POD, HOOK_AFTER}, true},
    {"PreCreateContainer", {HOOK_CREATE_CONTAINER, HOOK_BEFORE}, false},
    {"PreStartContainer", {HOOK_START_CONTAINER, HOOK_BEFORE}, false},
    {"PostStartContainer", {HOOK_START_CONTAINER, HOOK_AFTER}, false},
    {"PostStopContainer", {HOOK_STOP_CONTAINER, HOOK_AFTER}, false},
    {"PreUpdateContainerResources", {HOOK_UPDATE_CONTAINER, HOOK_BEFORE}, false},
};

EACH_TEST(exchange_begin, exchange_end)

TEST(each_hook_has_its_name_and_its_path)
{
    uint32_t all = 0;
    for (size_t i = 0; i < COUNT(hooks); i++) {
        uint32_t stage = 0;
        assert_true(koordinator_stage_by_name(bytes_of_string(hooks[i].name), &stage));
        assert_int_equal(stage, hook_stage_bit(hooks[i].stage));
        char path[128];
        snprintf(path, sizeof path, "/runtime.v1alpha1.RuntimeHookService/%sHook", hooks[i].name);
        assert_string_equal(koordinator_protocol.path(hooks[i].stage), path);
        all |= stage;
    }
    assert_int_equal(koordinator_protocol.stages, all);
}

/* The stubs name the methods, without a path. */
TEST(the_hooks_are_those_of_the_schema)
{
    const ProtobufCServiceDescriptor *service = &runtime__v1alpha1__runtime_hook_service__descriptor;
    assert_int_equal(service->n_methods, COUNT(hooks));
    for (unsigned i = 0; i < service->n_methods; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strlen(service->methods[i].name) - 4, service->methods[i].name);
        uint32_t stage = 0;
        assert_true(koordinator_stage_by_name(bytes_of_string(name), &stage));
        assert_int_not_equal(stage & koordinator_protocol.stages, 0);
    }
}

TEST(other_stages_have_no_path_and_other_names_no_stage)
{
    struct exchange *exchange = *state;
    for (int point = HOOK_NONE; point < HOOK_POINT_COUNT; point++) {
        for (int time = HOOK_BEFORE; time <= HOOK_AFTER; time++) {
            struct hook_stage stage = {(enum hook_point)point, (enum hook_time)time};
            bool has = (koordinator_protocol.stages & hook_stage_bit(stage)) != 0;
            struct hook_facts facts = {0};
            struct bytes request;
            assert_int_equal(koordinator_protocol.path(stage) != NULL, has);
            assert_int_equal(koordinator_protocol.request(stage, &facts, exchange->arena, &request, &exchange->error), has);
            assert_int_equal(koordinator_protocol.answer(stage, (struct bytes){0}, exchange->arena, &facts, NULL), has);
        }
    }
    assert_int_equal(exchange->error.code, STATUS_UNIMPLEMENTED);
    uint32_t stage = 4711;
    assert_true(koordinator_stage_by_name(bytes_of_string("PreRemoveRunPodSandbox"), &stage));
    assert_int_equal(stage, 0);
    assert_false(koordinator_stage_by_name(bytes_of_string("PreRunPodSandboxHook"), &stage));
    assert_false(koordinator_stage_by_name(bytes_of_string(""), &stage));
}

/* ---- facts and requests ---- */

static pod_request *read_pod_request(struct exchange *exchange, struct hook_stage stage, const struct hook_facts *facts)
{
    struct bytes bytes = request_bytes(exchange, stage, facts);
    pod_request *request = arena_unpack(exchange->arena, &runtime__v1alpha1__pod_sandbox_hook_request__descriptor, bytes);
    assert_non_null(request);
    return request;
}

static container_request *read_container_request(struct exchange *exchange, struct hook_stage stage,
                                                 const struct hook_facts *facts)
{
    struct bytes bytes = request_bytes(exchange, stage, facts);
    container_request *request =
        arena_unpack(exchange->arena, &runtime__v1alpha1__container_resource_hook_request__descriptor, bytes);
    assert_non_null(request);
    return request;
}

static void add_entry(char *text, size_t size, const char *key, const char *value)
{
    size_t len = strlen(text);
    snprintf(text + len, size - len, "%s=%s;", key, value);
}

/* The entries of a map, as "key=value;" in their order. */
#define EXPECT_MAP(message, map, expected)                                                                                       \
    do {                                                                                                                         \
        char text[256] = "";                                                                                                     \
        for (size_t item = 0; item < (message)->n_##map; item++) {                                                               \
            add_entry(text, sizeof text, (message)->map[item]->key, (message)->map[item]->value);                                \
        }                                                                                                                        \
        assert_string_equal(text, expected);                                                                                     \
    } while (0)

static void expect_pod_metadata(const Runtime__V1alpha1__PodSandboxMetadata *metadata)
{
    assert_non_null(metadata);
    assert_string_equal(metadata->name, "web");
    assert_string_equal(metadata->uid, "u-1");
    assert_string_equal(metadata->namespace_, "shop");
    assert_int_equal(metadata->attempt, 2);
}

static void expect_full_resources(const hook_resources *resources)
{
    assert_non_null(resources);
    assert_int_equal(resources->cpu_period, 100000);
    assert_int_equal(resources->cpu_quota, -1);
    assert_int_equal(resources->cpu_shares, 512);
    assert_int_equal(resources->memory_limit_in_bytes, 9007199254740993);
    assert_int_equal(resources->oom_score_adj, -998);
    assert_string_equal(resources->cpuset_cpus, "0-3,7");
    assert_string_equal(resources->cpuset_mems, "0");
    assert_int_equal(resources->n_hugepage_limits, 2);
    assert_string_equal(resources->hugepage_limits[0]->page_size, "2MB");
    assert_int_equal(resources->hugepage_limits[0]->limit, 4194304);
    assert_string_equal(resources->hugepage_limits[1]->page_size, "1GB");
    assert_int_equal(resources->hugepage_limits[1]->limit, 0);
    EXPECT_MAP(resources, unified, "memory.high=1;");
    assert_int_equal(resources->memory_swap_limit_in_bytes, 5);
}

TEST(a_pods_request_has_all_facts_of_the_pod)
{
    struct exchange *exchange = *state;
    struct hook_facts facts = {.pod_id = bytes_of_string("p1"),
                               .handler = bytes_of_string("kata"),
                               .pod = model_bytes(exchange, "PodSandboxConfig", fixture_pod)};
    for (size_t i = 0; i < COUNT(hooks); i++) {
        if (!hooks[i].pod) {
            continue;
        }
        const pod_request *request = read_pod_request(exchange, hooks[i].stage, &facts);
        expect_pod_metadata(request->pod_meta);
        assert_string_equal(request->runtime_handler, "kata");
        EXPECT_MAP(request, labels, "app=web;qos=LS;");
        EXPECT_MAP(request, annotations, "empty=;note=text;");
        assert_string_equal(request->cgroup_parent, "/kubepods/pod1");
        assert_non_null(request->overhead);
        assert_int_equal(request->overhead->cpu_shares, 3);
        assert_non_null(request->resources);
        assert_int_equal(request->resources->cpu_quota, -1);
        assert_int_equal(request->resources->memory_limit_in_bytes, 1048576);
        assert_int_equal(request->base.n_unknown_fields, 0);
    }
}

TEST(a_containers_request_has_all_facts_of_it_and_its_pod)
{
    struct exchange *exchange = *state;
    struct hook_facts facts = {.container_id = bytes_of_string("c1"),
                               .pod = model_bytes(exchange, "PodSandboxConfig", fixture_pod),
                               .container = model_bytes(exchange, "ContainerConfig", fixture_container)};
    for (size_t i = 0; i < COUNT(hooks); i++) {
        if (hooks[i].pod) {
            continue;
        }
        const container_request *request = read_container_request(exchange, hooks[i].stage, &facts);
        expect_pod_metadata(request->pod_meta);
        assert_non_null(request->container_meta);
        assert_string_equal(request->container_meta->name, "main");
        assert_int_equal(request->container_meta->attempt, 4);
        assert_string_equal(request->container_meta->id, "c1");
        EXPECT_MAP(request, container_annotations, "hash=abc;");
        expect_full_resources(request->container_resources);
        assert_non_null(request->pod_resources);
        assert_int_equal(request->pod_resources->memory_limit_in_bytes, 1048576);
        EXPECT_MAP(request, pod_annotations, "empty=;note=text;");
        EXPECT_MAP(request, pod_labels, "app=web;qos=LS;");
        assert_string_equal(request->pod_cgroup_parent, "/kubepods/pod1");
        EXPECT_MAP(request, container_envs, "A=1;B=2;");
        assert_int_equal(request->base.n_unknown_fields, 0);
    }
}

TEST(metadata_is_sent_even_if_nothing_is_known)
{
    struct exchange *exchange = *state;
    const struct hook_facts facts = {0};
    const pod_request *pod = read_pod_request(exchange, run_pod, &facts);
    assert_non_null(pod->pod_meta);
    assert_null(pod->overhead);
    assert_null(pod->resources);
    const container_request *container = read_container_request(exchange, create_container, &facts);
    assert_non_null(container->pod_meta);
    assert_non_null(container->container_meta);
    assert_string_equal(container->container_meta->id, "");
    assert_null(container->container_resources);
    assert_null(container->pod_resources);
    assert_int_equal(container->n_container_envs, 0);
}

TEST(empty_resources_are_sent_as_such)
{
    struct exchange *exchange = *state;
    struct hook_facts facts = {.container = model_bytes(exchange, "ContainerConfig", "{'linux': {'resources': {}}}")};
    assert_non_null(read_container_request(exchange, create_container, &facts)->container_resources);
    facts.container = model_bytes(exchange, "ContainerConfig", "{'linux': {}}");
    assert_null(read_container_request(exchange, create_container, &facts)->container_resources);
}

/* Values are bytes: some are no UTF-8. A NUL would be refused when it came back. */
TEST(variables_that_cannot_be_sent_are_left_out)
{
    struct exchange *exchange = *state;
    enum { ENVS = 6 };
    const struct {
        const char *name;
        struct bytes value;
    } variables[] = {
        {"BAD", BYTES(0xFF)},   {"NUL", BYTES('a', 0)}, {"TWICE", BYTES('1')},   {"GOOD", BYTES(0xC3, 0xA4)},
        {"HIDDEN", BYTES('1')}, {"TWICE", BYTES('2')},  {"HIDDEN", BYTES(0xFF)}, {"EMPTY", {0}},
    };
    struct hook_facts facts = {0};
    for (size_t i = 0; i < COUNT(variables); i++) {
        struct bytes variable = entry(exchange, ENVS, bytes_of_string(variables[i].name), variables[i].value);
        facts.container = exchange_join(exchange, facts.container, variable);
    }
    const container_request *request = read_container_request(exchange, create_container, &facts);
    EXPECT_MAP(request, container_envs, "EMPTY=;GOOD=\xC3\xA4;TWICE=2;");
}

/* The engine sends whole configurations before it leaves of them what plugins may see. */
TEST(of_whole_configurations_only_facts_are_sent)
{
    struct exchange *exchange = *state;
    struct bytes pod =
        model_bytes(exchange, "PodSandboxConfig",
                    "{'hostname': 'h', 'logDirectory': '/l', 'dnsConfig': {'servers': ['s']}, 'portMappings': [{'hostPort': 1}],"
                    " 'labels': {'a': 'b'}, 'linux': {'cgroupParent': '/p', 'sysctls': {'k': 'v'},"
                    " 'securityContext': {'privileged': true}, 'resources': {'cpuShares': 2}}, 'windows': {}}");
    struct bytes container = model_bytes(
        exchange, "ContainerConfig",
        "{'metadata': {'name': 'main'}, 'image': {'image': 'i'}, 'command': ['c'], 'args': ['a'], 'workingDir': '/w',"
        " 'envs': [{'key': 'A', 'value': '1'}], 'mounts': [{'hostPath': '/m'}], 'devices': [{'hostPath': '/d'}],"
        " 'labels': {'hidden': 'x'}, 'annotations': {'n': 't'}, 'logPath': 'l', 'stdin': true, 'tty': true,"
        " 'linux': {'resources': {'cpuQuota': 5}, 'securityContext': {'privileged': true}}, 'CDIDevices': [{'name': 'n'}]}");
    const struct hook_facts whole = {.pod = pod, .container = container};
    struct hook_facts facts = {0};
    assert_true(hook_facts_of(MODEL_POD, pod, exchange->arena, &facts.pod, &exchange->error));
    assert_true(hook_facts_of(MODEL_CONTAINER, container, exchange->arena, &facts.container, &exchange->error));
    assert_true(facts.pod.len < pod.len && facts.container.len < container.len);
    for (size_t i = 0; i < COUNT(hooks); i++) {
        struct bytes sent = request_bytes(exchange, hooks[i].stage, &whole);
        assert_true(sent.len > 0);
        assert_true(bytes_equal(sent, request_bytes(exchange, hooks[i].stage, &facts)));
    }
}

/* As many as take memory of their own, in no order, with long values, and each of the first ten a second time. */
TEST(many_variables_are_sent_in_order_and_once)
{
    struct exchange *exchange = *state;
    enum { ENVS = 6, MANY = 100 };
    static char values[MANY][400];
    struct hook_facts facts = {0};
    for (unsigned i = 0; i < MANY + 10; i++) {
        char name[16];
        unsigned which = i * 37 % MANY;
        snprintf(name, sizeof name, "NAME_%03u", which);
        snprintf(values[which], sizeof values[which], "%0*u", (int)(1 + which * 3), i);
        facts.container = exchange_join(exchange, facts.container, text_entry(exchange, ENVS, name, values[which]));
    }
    const container_request *request = read_container_request(exchange, create_container, &facts);
    assert_int_equal(request->n_container_envs, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "NAME_%03u", i);
        assert_string_equal(request->container_envs[i]->key, name);
        assert_string_equal(request->container_envs[i]->value, values[i]);
    }
}

/* An odd byte at each place of a text, also where a reader takes eight at once. */
TEST(a_byte_that_is_no_text_is_seen_anywhere)
{
    struct exchange *exchange = *state;
    enum { ENVS = 6, LONGEST = 20 };
    for (size_t len = 1; len <= LONGEST; len++) {
        for (size_t at = 0; at < 2 * len; at++) {
            uint8_t text[LONGEST];
            memset(text, 'x', sizeof text);
            text[at % len] = at < len ? 0 : 0xFF;
            struct hook_facts facts = {.container = entry(exchange, ENVS, bytes_of_string("NAME"), bytes_of(text, len))};
            assert_int_equal(read_container_request(exchange, create_container, &facts)->n_container_envs, 0);
            facts.container = entry(exchange, ENVS, bytes_of(text, len), bytes_of_string("value"));
            assert_int_equal(read_container_request(exchange, create_container, &facts)->n_container_envs, 0);
        }
    }
}

TEST(other_text_that_cannot_be_sent_is_left_out)
{
    struct exchange *exchange = *state;
    enum { LABELS = 6, LINUX = 8, CGROUP_PARENT = 1 };
    struct bytes bad = BYTES('/', 0xC0, 0x80);
    struct bytes pod = exchange_join(exchange, entry(exchange, LABELS, bad, bytes_of_string("v")),
                                     exchange_field(exchange, LINUX, exchange_field(exchange, CGROUP_PARENT, bad)));
    pod = exchange_join(exchange, pod, text_entry(exchange, LABELS, "good", "v"));
    const struct hook_facts facts = {.pod = pod, .handler = BYTES('a', 0)};
    const pod_request *request = read_pod_request(exchange, run_pod, &facts);
    EXPECT_MAP(request, labels, "good=v;");
    assert_string_equal(request->cgroup_parent, "");
    assert_string_equal(request->runtime_handler, "");
}

TEST(facts_in_several_pieces_are_one)
{
    struct exchange *exchange = *state;
    struct hook_facts facts = {.pod =
                                   exchange_join(exchange, model_bytes(exchange, "PodSandboxConfig", fixture_pod),
                                                 model_bytes(exchange, "PodSandboxConfig",
                                                             "{'linux': {'cgroupParent': '/other'}, 'labels': {'app': 'x'}}"))};
    const pod_request *request = read_pod_request(exchange, run_pod, &facts);
    assert_string_equal(request->cgroup_parent, "/other");
    assert_non_null(request->overhead);
    EXPECT_MAP(request, labels, "app=x;qos=LS;");
}

TEST(facts_that_are_malformed_make_no_request)
{
    struct exchange *exchange = *state;
    const struct bytes malformed[] = {
        BYTES(0x42, 0x7F),             /* linux: cut off */
        BYTES(0x40, 0x01),             /* linux: a number */
        BYTES(0x32, 0x02, 0x0A, 0x05), /* labels: a key that is cut off */
        BYTES(0x30, 0x01),             /* labels: a number */
        BYTES(0x42, 0x02, 0x08, 0x01), /* linux.cgroup_parent: a number */
    };
    for (size_t i = 0; i < COUNT(malformed); i++) {
        const struct hook_facts facts = {.pod = malformed[i]};
        struct bytes request;
        assert_false(koordinator_protocol.request(run_pod, &facts, exchange->arena, &request, &exchange->error));
        assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    }
}
