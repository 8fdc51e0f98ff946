/* Requests judged by what the runtime ignores: what counts as a value, where one is looked for, and what becomes of it. */
#include <stdio.h>
#include <string.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/abilities/judge.h"
#include "translate/convert/convert.h"
#include "translate/hooks/facts.h"
#include "translate/walk/text_table.h"

#define USERNS(mode)                                                                                                             \
    "{'config': {'linux': {'securityContext': {'namespaceOptions': {'pid': 'CONTAINER', 'usernsOptions': {" mode "}}}}}}"
#define RESOURCES(resources) "{'config': {'linux': {'resources': {" resources "}}}}"

static struct ability_set set;

static void on(struct exchange *exchange, const char *name, const char *version, enum dialect dialect)
{
    ability_set_make(&set, name, version, dialect);
    exchange->abilities = &set;
}

/* How often the field was counted when the request passed. */
static uint32_t ignored(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, const char *json,
                        uint16_t rule)
{
    struct bytes out;
    if (!exchange_request(exchange, method, from, to, exchange_request_bytes(exchange, method, from, json), &out)) {
        fail_msg("%s: %s", json, exchange->error.message);
    }
    return exchange->report.rules[rule].ignored;
}

EACH_TEST(exchange_begin, exchange_end)

TEST(a_refusal_names_path_runtime_reason_and_setting)
{
    on(*state, "containerd", "1.6.20~ds1", DIALECT_V1);
    exchange_expect_refused_bytes(
        *state, "RunPodSandbox", DIALECT_V1, DIALECT_V1,
        exchange_request_bytes(*state, "RunPodSandbox", DIALECT_V1, USERNS("'mode': 'POD'")), STATUS_INVALID_ARGUMENT,
        "config.linux.security_context.namespace_options.userns_options: the runtime containerd 1.6.20~ds1 ignores it: the pod "
        "would run as the node's root; to send the request anyway, set \"translation: {lenient: "
        "[NamespaceOption.userns_options]}\" for this runtime in the runtime map");
    exchange_expect_refused_bytes(
        *state, "CreateContainer", DIALECT_V1, DIALECT_V1,
        exchange_request_bytes(*state, "CreateContainer", DIALECT_V1,
                               "{'config': {'mounts': [{}, {'readonly': true, 'recursiveReadOnly': true}]}}"),
        STATUS_INVALID_ARGUMENT, "config.mounts[1].recursive_read_only: the runtime containerd 1.6.20~ds1 ignores it: ");
}

TEST(a_version_that_honours_it_gets_it)
{
    struct exchange *exchange = *state;
    on(exchange, "containerd", "2.0.0", DIALECT_V1);
    assert_int_equal(
        ignored(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1, USERNS("'mode': 'POD'"), RULE_NamespaceOption_userns_options),
        0);
    assert_int_equal(exchange->report.ignored, 0);
}

TEST(what_an_unknown_runtime_may_ignore_passes_and_is_noted)
{
    struct exchange *exchange = *state;
    on(exchange, "containerd-fork", "1.6.20", DIALECT_V1);
    assert_int_equal(
        ignored(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1, USERNS("'mode': 'POD'"), RULE_NamespaceOption_userns_options),
        0);
    uint64_t noted = exchange->report.unsure;
    assert_true(noted != 0 && (noted & (noted - 1)) == 0 && (noted & set.unsure) == noted);
    ignored(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1, USERNS("'mode': 'NODE'"), RULE_NamespaceOption_userns_options);
    assert_int_equal(exchange->report.unsure & ~noted, 0);
}

/* What is sent is judged, in the runtime's dialect, behind the rules of the dialect. */
TEST(the_rules_of_the_dialect_go_first)
{
    struct exchange *exchange = *state;
    on(exchange, "docker", "18.9.0", DIALECT_V1_9);
    exchange_expect_refused_bytes(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_9,
                                  exchange_request_bytes(exchange, "RunPodSandbox", DIALECT_V1, USERNS("'mode': 'POD'")),
                                  STATUS_INVALID_ARGUMENT,
                                  "config.linux.security_context.namespace_options.userns_options.mode: "
                                  "the runtime's dialect v1_9 ");
    on(exchange, "docker", "18.9.0", DIALECT_V1ALPHA2);
    exchange_expect_refused_bytes(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1ALPHA2,
                                  exchange_request_bytes(exchange, "RunPodSandbox", DIALECT_V1, USERNS("'mode': 'POD'")),
                                  STATUS_INVALID_ARGUMENT,
                                  "config.linux.security_context.namespace_options.userns_options: the runtime dockershim ");
    /* What the dialect lets through does not arrive, so nothing ignores it. */
    exchange->leniency.all = true;
    on(exchange, "docker", "18.9.0", DIALECT_V1_9);
    assert_int_equal(ignored(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_9, USERNS("'mode': 'POD'"),
                             RULE_NamespaceOption_userns_options),
                     0);
    assert_int_equal(exchange->report.rules[RULE_NamespaceOption_userns_options].let_through, 1);
}

TEST(each_value_is_counted)
{
    static const struct {
        const char *method, *json;
        uint16_t rule;
        uint32_t count;
    } rows[] = {
        {"CreateContainer", RESOURCES("'unified': {'memory.high': '1', 'memory.oom.group': '1', 'io.weight': '7'}"),
         RULE_LinuxContainerResources_unified, 2},
        {"UpdateContainerResources", "{'linux': {'unified': {'memory.high': '1'}}}", RULE_LinuxContainerResources_unified, 1},
        {"CreateContainer", RESOURCES("'unified': {'memory.oom.group': '0'}"), RULE_LinuxContainerResources_unified, 1},
        {"CreateContainer", RESOURCES("'unified': {'memory.swap.max': '1'}"), RULE_LinuxContainerResources_unified, 1},
        {"CreateContainer", RESOURCES("'hugepageLimits': [{'limit': '1'}, {}, {'limit': '2'}]"),
         RULE_LinuxContainerResources_hugepage_limits, 2},
        {"CreateContainer", RESOURCES("'memorySwapLimitInBytes': '0', 'memoryLimitInBytes': '5'"),
         RULE_LinuxContainerResources_memory_swap_limit_in_bytes, 0},
        {"CreateContainer", RESOURCES("'memorySwapLimitInBytes': '-1', 'memoryLimitInBytes': '5'"),
         RULE_LinuxContainerResources_memory_swap_limit_in_bytes, 1},
        {"CreateContainer", "{'config': {'stopSignal': 'SIGNAL_SIGUSR1'}}", RULE_ContainerConfig_stop_signal, 1},
        {"CreateContainer", "{'config': {'stopSignal': 'SIGNAL_RUNTIME_DEFAULT'}}", RULE_ContainerConfig_stop_signal, 0},
    };
    struct exchange *exchange = *state;
    on(exchange, "docker", "27.3.1", DIALECT_V1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ignored(exchange, rows[i].method, DIALECT_V1, DIALECT_V1, rows[i].json, rows[i].rule), rows[i].count);
        assert_int_equal(exchange->report.ignored, rows[i].count);
        assert_int_equal(exchange->report.dropped, 0);
    }
}

/* What kubelets send to every runtime is neither counted nor refused. */
TEST(defaults_of_kubelets_ask_for_nothing)
{
    static const char pod[] = "{'config': {'linux': {'cgroupParent': '/a', 'securityContext': {'namespaceOptions': {'network': "
                              "'POD', 'pid': 'CONTAINER', 'usernsOptions': {'mode': 'NODE'}}, 'seccomp': {'profileType': "
                              "'RuntimeDefault'}, 'supplementalGroupsPolicy': 'Merge'}, 'resources': {'unified': "
                              "{'memory.high': '1'}, 'hugepageLimits': [{'pageSize': '2MB', 'limit': '7'}]}, 'overhead': "
                              "{'memorySwapLimitInBytes': '9'}}}}";
    static const char container[] =
        "{'config': {'annotations': {'a': 'b'}, 'mounts': [{'containerPath': '/a', 'readonly': true}], 'stopSignal': "
        "'SIGNAL_RUNTIME_DEFAULT', 'linux': {'resources': {'cpuShares': '2', 'memoryLimitInBytes': '100', "
        "'memorySwapLimitInBytes': "
        "'100', 'hugepageLimits': [{'pageSize': '2MB', 'limit': '0'}, {'pageSize': '1GB'}], 'unified': {'memory.oom.group': "
        "'1', 'memory.swap.max': '0'}}, 'securityContext': {'namespaceOptions': {'pid': 'CONTAINER', 'usernsOptions': "
        "{'mode': 'NODE'}}, 'seccomp': {'profileType': 'RuntimeDefault'}, 'apparmor': {'profileType': 'RuntimeDefault'}, "
        "'supplementalGroupsPolicy': 'Merge', 'runAsUser': {'value': '1'}, 'capabilities': {'addCapabilities': "
        "['NET_ADMIN']}}}}, "
        "'sandboxConfig': {'linux': {'securityContext': {'namespaceOptions': {'usernsOptions': {'mode': 'POD'}}}}}}";
    static const char *const runtimes[][2] = {{"docker", "27.3.1"}, {"containerd", "1.6.20"}, {"cri-o", "1.24.6"}};
    struct exchange *exchange = *state;
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++) {
        on(exchange, runtimes[i][0], runtimes[i][1], DIALECT_V1);
        ignored(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1, pod, 0);
        assert_int_equal(exchange->report.ignored, 0);
        ignored(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, container, 0);
        assert_int_equal(exchange->report.ignored, 0);
    }
}

/* Of a field that is said twice, the last counts, as for every decoder. */
TEST(the_last_of_several_values_counts)
{
    struct exchange *exchange = *state;
    struct bytes out;
    on(exchange, "containerd", "1.6.20", DIALECT_V1);
    uint32_t number = schema_number_by_name(schema_message_by_name(DIALECT_V1, "Mount"), "recursive_read_only");
    uint32_t mounts = schema_number_by_name(schema_message_by_name(DIALECT_V1, "ContainerConfig"), "mounts");
    uint32_t config = schema_number_by_name(schema_message_by_name(DIALECT_V1, "CreateContainerRequest"), "config");
    assert_true(number < 16);
    for (uint8_t last = 0; last <= 1; last++) {
        struct bytes mount = BYTES((uint8_t)(number << 3), (uint8_t)!last, (uint8_t)(number << 3), last);
        struct bytes request = exchange_field(exchange, config, exchange_field(exchange, mounts, mount));
        assert_int_equal(exchange_request(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, request, &out), !last);
    }
}

/* Thousands of values of one field cost no more than one look at each. */
TEST(many_values_are_looked_at_once)
{
    enum { MANY = 100000 };
    struct exchange *exchange = *state;
    struct bytes out;
    on(exchange, "docker", "27.3.1", DIALECT_V1);
    uint32_t number =
        schema_number_by_name(schema_message_by_name(DIALECT_V1, "LinuxContainerResources"), "memory_swap_limit_in_bytes");
    uint8_t *values = arena_alloc(exchange->arena, 3 * MANY);
    size_t size = 0;
    for (int i = 0; i < MANY; i++) {
        size += wire_put_varint(values + size, (uint64_t)number << 3 | WIRE_VARINT);
        values[size++] = 7;
    }
    struct bytes request = exchange_field(
        exchange, schema_number_by_name(schema_message_by_name(DIALECT_V1, "UpdateContainerResourcesRequest"), "linux"),
        bytes_of(values, size));
    assert_true(exchange_request(exchange, "UpdateContainerResources", DIALECT_V1, DIALECT_V1, request, &out));
    assert_int_equal(exchange->report.ignored, 1);
}

TEST(a_pod_is_judged_by_the_handler_that_it_names)
{
    struct exchange *exchange = *state;
    on(exchange, "containerd", "1.6.20", DIALECT_V1);
    ability_set_learn(&set, DIALECT_V1,
                      exchange_response_bytes(exchange, "Status", DIALECT_V1,
                                              "{'runtimeHandlers': [{'name': 'kata', 'features': {'userNamespaces': true}}]}"));
    static const char start[] = "config.linux.security_context.namespace_options.userns_options: the runtime containerd ";
    static const char pod[] = "{%s'config': {'linux': {'securityContext': {'namespaceOptions': {'usernsOptions': {}}}}}}";
    static const struct {
        const char *handler;
        bool passes;
    } rows[] = {{"", false}, {"'runtimeHandler': 'runc', ", false}, {"'runtimeHandler': 'kata', ", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char json[256];
        snprintf(json, sizeof json, "{%s%s", rows[i].handler, pod + 3);
        if (rows[i].passes) {
            assert_int_equal(ignored(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1, json, 0), 0);
        } else {
            exchange_expect_refused_bytes(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1,
                                          exchange_request_bytes(exchange, "RunPodSandbox", DIALECT_V1, json),
                                          STATUS_INVALID_ARGUMENT, start);
        }
    }
    /* The container of a pod, which the runtime has taken. */
    assert_int_equal(ignored(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, USERNS("'mode': 'POD'"), 0), 0);
}

/* ---- what plugins change ---- */

/* Converts a new container with `unified: {KEY: "1"}` added by a plugin. */
static bool convert_adjusted(struct exchange *exchange, const char *key, struct report *report)
{
    char json[128];
    snprintf(json, sizeof json, "{'linux': {'resources': {'unified': {'%s': '1'}}}}", key);
    const struct schema_message *config = schema_message_by_name(DIALECT_MODEL, "ContainerConfig");
    struct hook_adjustment adjustment = {0};
    adjustment.before[MODEL_CONTAINER] = exchange_bytes(exchange, config, "{'linux': {'resources': {}}}");
    adjustment.after[MODEL_CONTAINER] = exchange_bytes(exchange, config, json);
    struct conversion conversion = {
        .method = method_by_name("CreateContainer"),
        .from = DIALECT_V1,
        .to = DIALECT_V1,
        .arena = exchange->arena,
        .leniency = &exchange->leniency,
        .abilities = exchange->abilities,
        .adjustment = &adjustment,
    };
    struct bytes out;
    exchange->error = (struct error){0};
    bool done = convert_request(&conversion, exchange_request_bytes(exchange, "CreateContainer", DIALECT_V1, RESOURCES("")), &out,
                                &exchange->error);
    *report = conversion.report;
    return done;
}

TEST(what_a_plugin_adds_is_judged_with_the_rest)
{
    struct exchange *exchange = *state;
    struct report report;
    on(exchange, "docker", "27.3.1", DIALECT_V1);
    assert_true(convert_adjusted(exchange, "memory.high", &report));
    assert_int_equal(report.rules[RULE_LinuxContainerResources_unified].ignored, 1);
    assert_true(convert_adjusted(exchange, "memory.oom.group", &report));
    assert_int_equal(report.ignored, 0);
    exchange->leniency.strict[RULE_LinuxContainerResources_unified] = true;
    assert_false(convert_adjusted(exchange, "memory.high", &report));
    assert_string_equal(exchange->error.message,
                        "config.linux.resources.unified[0]: the runtime cri-dockerd ignores it: settings of cgroup v2 are not "
                        "applied; to send the request anyway, remove \"translation: {strict: "
                        "[LinuxContainerResources.unified]}\" of this runtime in the runtime map");
}

/* ---- for explain ---- */

struct told {
    struct loss losses[4];
    char paths[4][128];
    size_t count;
};

static void note(void *state, const struct loss *loss)
{
    struct told *told = state;
    assert_true(told->count < 4);
    told->losses[told->count] = *loss;
    snprintf(told->paths[told->count], sizeof told->paths[0], "%s", loss->path);
    told->count++;
}

TEST(what_is_ignored_is_told_with_its_path)
{
    struct exchange *exchange = *state;
    struct told told = {0};
    static const struct leniency all = {.all = true};
    on(exchange, "docker", "27.3.1", DIALECT_V1);
    struct conversion conversion = {
        .method = method_by_name("CreateContainer"),
        .from = DIALECT_V1,
        .to = DIALECT_V1,
        .arena = exchange->arena,
        .leniency = &all,
        .abilities = &set,
        .report = {.tell = note, .state = &told},
    };
    struct bytes out, in = exchange_request_bytes(exchange, "CreateContainer", DIALECT_V1,
                                                  "{'config': {'mounts': [{}, {'uidMappings': [{}]}], 'linux': {'resources': "
                                                  "{'hugepageLimits': [{}, {'limit': '1'}]}}}}");
    assert_true(convert_request(&conversion, in, &out, &exchange->error));
    assert_int_equal(told.count, 2);
    assert_string_equal(told.paths[0], "config.mounts[1].uidMappings[0]");
    assert_true(told.losses[0].let_through && told.losses[0].ignored);
    assert_string_equal(told.paths[1], "config.linux.resources.hugepage_limits[1]");
    assert_true(!told.losses[1].let_through && told.losses[1].ignored);
    assert_true(bytes_equal(in, out));
}

TEST(malformed_bytes_are_refused)
{
    struct exchange *exchange = *state;
    struct report report = {0};
    on(exchange, "docker", "27.3.1", DIALECT_V1);
    const struct ability_judgement judgement = {&set, NULL, &report, method_by_name("CreateContainer"), DIALECT_V1};
    assert_false(ability_judge(&judgement, BYTES(0x12, 0x05, 0x0a), &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_true(ability_judge(&judgement, (struct bytes){0}, &exchange->error));
}
