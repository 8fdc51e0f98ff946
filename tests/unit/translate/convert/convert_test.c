/* Whole requests and responses between dialects: what a configuration means stays what it was, and names are mapped once. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/convert/convert.h"
#include "translate/walk/names.h"

#define MASKED_TODAY                                                                                                             \
    "'maskedPaths': ['/proc/acpi', '/proc/asound', '/proc/interrupts', '/proc/kcore', '/proc/keys', '/proc/latency_stats', "     \
    "'/proc/sched_debug', '/proc/scsi', '/proc/timer_list', '/proc/timer_stats', '/sys/devices/virtual/powercap', "              \
    "'/sys/firmware'], 'readonlyPaths': ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger']"
#define OWN_PID "'namespaceOptions': {'pid': 'CONTAINER'}"

#define POD_SECURITY(security) "{'config': {'linux': {'securityContext': {" security "}}}}"
#define CONTAINER_SECURITY(security) "{'config': {'linux': {'securityContext': {" security "}}}}"

struct request_row {
    const char *method;
    enum dialect from, to;
    const char *in, *out;
};

static void expect_requests(struct exchange *exchange, const struct request_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        exchange_expect_request(exchange, rows[i].method, rows[i].from, rows[i].to, rows[i].in, rows[i].out);
    }
}

ALL_TESTS(exchange_begin, exchange_end)

TEST(what_a_1_9_caller_means_is_said_to_newer_runtimes)
{
    static const struct request_row rows[] = {
        {"RunPodSandbox", DIALECT_V1_9, DIALECT_V1, "{'config': {}}", POD_SECURITY(OWN_PID)},
        {"RunPodSandbox", DIALECT_V1_9, DIALECT_V1, "{}", "{}"},
        {"RunPodSandbox", DIALECT_V1_9, DIALECT_V1ALPHA2,
         POD_SECURITY("'namespaceOptions': {'hostNetwork': true, 'hostPid': true, 'hostIpc': true}"),
         POD_SECURITY("'namespaceOptions': {'network': 'NODE', 'pid': 'NODE', 'ipc': 'NODE'}")},
        {"RunPodSandbox", DIALECT_V1_9, DIALECT_V1_12, POD_SECURITY("'namespaceOptions': {'hostNetwork': true}"),
         POD_SECURITY("'namespaceOptions': {'network': 'NODE', 'pid': 'CONTAINER'}")},
        {"CreateContainer", DIALECT_V1_9, DIALECT_V1, "{'podSandboxId': 'p', 'config': {}, 'sandboxConfig': {}}",
         "{'podSandboxId': 'p', 'config': {'linux': {'securityContext': {" OWN_PID ", " MASKED_TODAY
         "}}}, 'sandboxConfig': {'linux': {'securityContext': {" OWN_PID "}}}}"},
        {"CreateContainer", DIALECT_V1_9, DIALECT_V1, CONTAINER_SECURITY("'privileged': true"),
         CONTAINER_SECURITY("'privileged': true, " OWN_PID)},
        {"PullImage", DIALECT_V1_9, DIALECT_V1, "{'image': {'image': 'a'}, 'sandboxConfig': {}}",
         "{'image': {'image': 'a'}, 'sandboxConfig': {'linux': {'securityContext': {" OWN_PID "}}}}"},
        /* Between two sides of the 1.9 time nothing has to be said. */
        {"CreateContainer", DIALECT_V1_9, DIALECT_V1_9, "{'config': {'command': ['a']}}", "{'config': {'command': ['a']}}"},
    };
    expect_requests(*state, rows, sizeof rows / sizeof rows[0]);
}

TEST(what_a_newer_caller_says_reaches_1_9_runtimes)
{
    static const struct request_row rows[] = {
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_9, POD_SECURITY("'namespaceOptions': {'network': 'NODE', 'pid': 'CONTAINER'}"),
         POD_SECURITY("'namespaceOptions': {'hostNetwork': true}")},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_9,
         POD_SECURITY("'namespaceOptions': {'pid': 'NODE', 'ipc': 'NODE', 'usernsOptions': {'mode': 'NODE'}}"),
         POD_SECURITY("'namespaceOptions': {'hostPid': true, 'hostIpc': true}")},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_9,
         "{'config': {'portMappings': [{'containerPort': 1}, {'protocol': 'SCTP', 'containerPort': 2}, "
         "{'protocol': 'UDP', 'hostPort': 3}], 'linux': {'securityContext': {'namespaceOptions': {'pid': 'CONTAINER'}}}}}",
         "{'config': {'portMappings': [{'containerPort': 1}, {'containerPort': 2}, {'protocol': 'UDP', 'hostPort': 3}], "
         "'linux': {'securityContext': {'namespaceOptions': {}}}}}"},
        {"CreateContainer", DIALECT_V1, DIALECT_V1_9, CONTAINER_SECURITY(OWN_PID ", " MASKED_TODAY),
         CONTAINER_SECURITY("'namespaceOptions': {}")},
        {"CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1_9, CONTAINER_SECURITY("'privileged': true"),
         CONTAINER_SECURITY("'privileged': true")},
        {"UpdateContainerResources", DIALECT_V1, DIALECT_V1_9,
         "{'containerId': 'c', 'linux': {'cpuShares': '5', 'memoryLimitInBytes': '9', 'memorySwapLimitInBytes': '9', "
         "'hugepageLimits': "
         "[{'pageSize': '2MB'}]}, 'annotations': {'a': 'b'}}",
         "{'containerId': 'c', 'linux': {'cpuShares': '5', 'memoryLimitInBytes': '9'}}"},
    };
    expect_requests(*state, rows, sizeof rows / sizeof rows[0]);
}

TEST(what_1_9_runtimes_cannot_do_is_refused)
{
    static const struct {
        const char *method, *request, *refusal;
    } rows[] = {
        {"RunPodSandbox", POD_SECURITY("'namespaceOptions': {}"),
         "config.linux.security_context.namespace_options.pid: the runtime's dialect v1_9 has only NODE and CONTAINER, and POD "},
        {"RunPodSandbox", POD_SECURITY("'namespaceOptions': {'pid': 'TARGET', 'targetId': 'c'}"),
         "config.linux.security_context.namespace_options.pid: the runtime's dialect v1_9 has only NODE and CONTAINER, and "
         "TARGET "},
        {"RunPodSandbox", POD_SECURITY("'namespaceOptions': {'pid': 'CONTAINER', 'usernsOptions': {'mode': 'POD'}}"),
         "config.linux.security_context.namespace_options.userns_options"},
        {"RunPodSandbox", POD_SECURITY("'apparmor': {'profileType': 'Localhost', 'localhostRef': 'x'}"),
         "config.linux.security_context.apparmor: "},
        {"CreateContainer", CONTAINER_SECURITY(OWN_PID), "config.linux.security_context.masked_paths: "},
        {"CreateContainer", "{'sandboxConfig': {'linux': {'securityContext': {'namespaceOptions': {'network': 'TARGET'}}}}}",
         "sandbox_config.linux.security_context.namespace_options.network: "},
        {"CreateContainer", "{'config': {'stopSignal': 'SIGNAL_SIGTERM'}}", "config.stop_signal: "},
        {"CreateContainer", "{'config': {'CDIDevices': [{'name': 'a'}]}}", "config.CDI_devices[0].name: "},
        {"CreateContainer", "{'config': {'linux': {'resources': {'unified': {'memory.high': '1'}}}}}",
         "config.linux.resources.unified: "},
        {"UpdateContainerResources", "{'linux': {'hugepageLimits': [{'pageSize': '2MB', 'limit': '1'}]}}",
         "linux.hugepage_limits: "},
        {"PullImage", "{'sandboxConfig': {'linux': {'securityContext': {'namespaceOptions': {}}}}}",
         "sandbox_config.linux.security_context.namespace_options.pid: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        exchange_expect_refused(*state, rows[i].method, DIALECT_V1, DIALECT_V1_9, rows[i].request, STATUS_INVALID_ARGUMENT,
                                rows[i].refusal);
    }
}

TEST(what_is_let_through_is_as_if_it_had_not_been_said)
{
    struct exchange *exchange = *state;
    static const struct request_row rows[] = {
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_9, POD_SECURITY("'namespaceOptions': {'network': 'NODE', 'pid': 'POD'}"),
         POD_SECURITY("'namespaceOptions': {'hostNetwork': true}")},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_12, POD_SECURITY("'namespaceOptions': {'pid': 'TARGET', 'targetId': 'c'}"),
         POD_SECURITY("'namespaceOptions': {}")},
        {"RunPodSandbox", DIALECT_V1ALPHA2, DIALECT_V1_12,
         POD_SECURITY("'namespaceOptions': {'pid': 'CONTAINER', 'usernsOptions': {'mode': 'POD', 'uids': [{'length': 1}]}}"),
         POD_SECURITY("'namespaceOptions': {'pid': 'CONTAINER'}")},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_12,
         POD_SECURITY("'seccompProfilePath': 'unconfined', 'seccomp': {'profileType': 'Localhost'}, 'apparmor': {'profileType': "
                      "'Unconfined'}, 'runAsGroup': {'value': '1'}, 'supplementalGroupsPolicy': 'Strict'"),
         POD_SECURITY("'runAsGroup': {'value': '1'}")},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_9, "{'config': {'portMappings': [{'protocol': 'SCTP', 'hostPort': 5}]}}",
         "{'config': {'portMappings': [{'hostPort': 5}]}}"},
        {"CreateContainer", DIALECT_V1, DIALECT_V1_9, CONTAINER_SECURITY(OWN_PID ", 'maskedPaths': ['/proc/kcore']"),
         CONTAINER_SECURITY("'namespaceOptions': {}")},
        {"CreateContainer", DIALECT_V1, DIALECT_V1_9,
         CONTAINER_SECURITY(OWN_PID ", 'capabilities': {'addCapabilities': ['A'], "
                                    "'addAmbientCapabilities': ['B']}"),
         CONTAINER_SECURITY("'namespaceOptions': {}, 'capabilities': {'addCapabilities': ['A']}")},
        {"CreateContainer", DIALECT_V1, DIALECT_V1ALPHA2,
         "{'config': {'CDIDevices': [{'name': 'a'}, {'name': 'b'}], 'annotations': {'cdi.k8s.io/x': 'a'}, 'stopSignal': "
         "'SIGNAL_SIGKILL', 'mounts': [{'hostPath': '/a', 'image': {'image': 'x'}, 'mountOptions': ['ro']}]}}",
         "{'config': {'annotations': {'cdi.k8s.io/x': 'a'}, 'mounts': [{'hostPath': '/a'}]}}"},
        {"UpdateContainerResources", DIALECT_V1, DIALECT_V1_12,
         "{'containerId': 'c', 'windows': {'cpuCount': '1'}, 'linux': {'cpuShares': '5', 'memorySwapLimitInBytes': '9', "
         "'hugepageLimits': [{'pageSize': '2MB', 'limit': '1'}], 'unified': {'memory.high': '1'}}}",
         "{'containerId': 'c', 'linux': {'cpuShares': '5'}}"},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1ALPHA2,
         "{'config': {'windows': {'securityContext': {'runAsUsername': 'u', 'namespaceOptions': {'network': 'NODE'}}}}}",
         "{'config': {'windows': {'securityContext': {'runAsUsername': 'u'}}}}"},
        {"CreateContainer", DIALECT_V1, DIALECT_V1_12,
         "{'config': {'windows': {'resources': {'cpuCount': '1', 'affinityCpus': [{'cpuMask': '1'}]}, 'securityContext': "
         "{'runAsUsername': 'u', 'credentialSpec': 's', 'hostProcess': true}}}}",
         "{'config': {'windows': {'resources': {'cpuCount': '1'}, 'securityContext': {'runAsUsername': 'u'}}}}"},
        {"CreateContainer", DIALECT_V1, DIALECT_V1_9,
         "{'config': {'windows': {'resources': {'cpuCount': '1'}}}, 'sandboxConfig': {'windows': {'securityContext': "
         "{'hostProcess': true}}}}",
         "{'config': {}, 'sandboxConfig': {}}"},
    };
    exchange->leniency.all = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_requests(exchange, &rows[i], 1);
        assert_int_not_equal(exchange->report.let_through, 0);
    }
    exchange->leniency.all = false;
}

#define SECCOMP(string) "'seccompProfilePath': '" string "'"
#define APPARMOR(string) "'apparmorProfile': '" string "'"

TEST(profiles_are_said_both_ways_whichever_dialects)
{
    static const struct request_row rows[] = {
        {"CreateContainer", DIALECT_V1, DIALECT_V1, CONTAINER_SECURITY(SECCOMP("runtime/default") ", " APPARMOR("localhost/x")),
         CONTAINER_SECURITY(SECCOMP("runtime/default") ", 'seccomp': {}, " APPARMOR(
             "localhost/x") ", 'apparmor': {'profileType': 'Localhost', 'localhostRef': 'x'}")},
        {"CreateContainer", DIALECT_V1, DIALECT_V1,
         CONTAINER_SECURITY("'seccomp': {'profileType': 'Unconfined'}, 'apparmor': {}"),
         CONTAINER_SECURITY(SECCOMP("unconfined") ", 'seccomp': {'profileType': 'Unconfined'}, " APPARMOR(
             "runtime/default") ", 'apparmor': {}")},
        {"RunPodSandbox", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2, POD_SECURITY(SECCOMP("localhost//a/b")),
         POD_SECURITY(SECCOMP("localhost//a/b") ", 'seccomp': {'profileType': 'Localhost', 'localhostRef': '/a/b'}")},
        {"RunPodSandbox", DIALECT_V1_9, DIALECT_V1, POD_SECURITY(SECCOMP("docker/default")),
         POD_SECURITY(OWN_PID ", 'seccomp': {}, " SECCOMP("docker/default"))},
        /* The message wins. */
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_12, POD_SECURITY(SECCOMP("unconfined") ", 'seccomp': {}"),
         POD_SECURITY(SECCOMP("runtime/default"))},
        {"RunPodSandbox", DIALECT_V1, DIALECT_V1_9, POD_SECURITY(SECCOMP("runtime/default")),
         POD_SECURITY(SECCOMP("docker/default"))},
        {"RunPodSandbox", DIALECT_V1ALPHA2, DIALECT_V1_9,
         POD_SECURITY("'seccomp': {'profileType': 'Localhost', 'localhostRef': '/p'}, 'apparmor': {}"),
         POD_SECURITY(SECCOMP("localhost//p"))},
    };
    expect_requests(*state, rows, sizeof rows / sizeof rows[0]);
    /* Nothing said stays nothing said. */
    exchange_expect_request(*state, "RunPodSandbox", DIALECT_V1, DIALECT_V1, POD_SECURITY(""), POD_SECURITY(""));
}

TEST(callers_of_1_10_get_the_masked_paths_of_their_time)
{
    struct exchange *exchange = *state;
    static const char bare[] = "{'config': {'command': ['a']}}";
    exchange_expect_request(exchange, "CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1, bare, bare);
    exchange->caller_lacks_masked_paths = true;
    exchange_expect_request(exchange, "CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1, bare,
                            "{'config': {'command': ['a'], 'linux': {'securityContext': {" MASKED_TODAY "}}}}");
    exchange_expect_request(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, bare, bare);
    exchange->caller_lacks_masked_paths = false;
}

/* ---- the same dialect ---- */

TEST(a_configuration_without_need_of_change_stays_as_it_is)
{
    struct exchange *exchange = *state;
    for (int dialect = DIALECT_V1_12; dialect < DIALECT_COUNT; dialect++) {
        struct bytes in =
            exchange_request_bytes(exchange, "CreateContainer", (enum dialect)dialect,
                                   "{'podSandboxId': 'p', 'config': {'mounts': [{'hostPath': '/a', 'readonly': true}], 'envs': "
                                   "[{'key': 'a', 'value': 'b'}], 'labels': {'x': '', '': 'y'}, 'linux': {'resources': "
                                   "{'cpuQuota': '-1'}}}, 'sandboxConfig': {'hostname': 'h'}}");
        struct bytes out;
        assert_true(exchange_request(exchange, "CreateContainer", (enum dialect)dialect, (enum dialect)dialect, in, &out));
        assert_true(bytes_equal(in, out));
    }
}

TEST(a_response_without_need_of_change_is_not_even_copied)
{
    struct exchange *exchange = *state;
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct bytes in =
            exchange_response_bytes(exchange, "ListContainers", (enum dialect)dialect, "{'containers': [{'id': 'c'}, {}]}");
        struct bytes out;
        assert_true(exchange_response(exchange, "ListContainers", (enum dialect)dialect, (enum dialect)dialect, in, &out));
        assert_ptr_equal(in.data, out.data);
        assert_int_equal(in.len, out.len);
    }
}

/* ---- RPCs ---- */

TEST(a_dialect_without_the_rpc_is_unimplemented)
{
    struct exchange *exchange = *state;
    exchange_expect_refused(exchange, "ReopenContainerLog", DIALECT_V1, DIALECT_V1_9, "{}", STATUS_UNIMPLEMENTED,
                            "dialect v1_9 has no ReopenContainerLog");
    exchange_expect_refused(exchange, "RuntimeConfig", DIALECT_V1, DIALECT_V1ALPHA2, "{}", STATUS_UNIMPLEMENTED,
                            "dialect v1alpha2 has no RuntimeConfig");
    struct bytes out;
    assert_false(exchange_response(exchange, "RuntimeConfig", DIALECT_V1, DIALECT_V1_12, bytes_of(NULL, 0), &out));
    assert_int_equal(exchange->error.code, STATUS_UNIMPLEMENTED);
    for (uint16_t i = 0; i < method_count; i++) {
        for (int from = 0; from < DIALECT_COUNT; from++) {
            for (int to = 0; to < DIALECT_COUNT; to++) {
                if (methods[i].in[from].path) {
                    bool done = exchange_request(exchange, methods[i].name, (enum dialect)from, (enum dialect)to,
                                                 bytes_of(NULL, 0), &out);
                    assert_int_equal(done, methods[i].in[to].path != NULL);
                    assert_true(done || exchange->error.code == STATUS_UNIMPLEMENTED);
                }
            }
        }
    }
}

/* ---- names ---- */

#define MOST_NAMES 32

/* A mapper that notes what it is asked, and puts a mark in front. */
struct notes {
    size_t count;
    struct {
        enum name_kind kind;
        bool carried;
        char name[32];
    } asked[MOST_NAMES];
};

static bool note_name(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                      struct mapped_name *mapped, struct error *error)
{
    (void)arena;
    struct notes *notes = state;
    if (bytes_equal(name, bytes_of_string("bad"))) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "a bad name");
    }
    assert_true(notes->count < MOST_NAMES);
    notes->asked[notes->count].kind = kind;
    notes->asked[notes->count].carried = carried;
    snprintf(notes->asked[notes->count].name, sizeof notes->asked[0].name, "%.*s", (int)name.len, (const char *)name.data);
    notes->count++;
    mapped_name_same(mapped, name);
    if (name.len > 0) {
        *mapped = carried ? (struct mapped_name){.front = bytes_of_string("+"), .rest = name} : (struct mapped_name){0};
    }
    return true;
}

#define ALL_KINDS (~0U)

TEST(each_name_of_a_request_is_mapped_once)
{
    static const char in[] = "{'podSandboxId': 'p', 'config': {'image': {'image': 'i', 'userSpecifiedImage': 'u', "
                             "'runtimeHandler': 'h', 'imageRef': 'r'}, "
                             "'mounts': [{'image': {'image': 'm'}}], 'linux': {'securityContext': {'privileged': true, "
                             "'namespaceOptions': {'pid': 'TARGET', "
                             "'targetId': 't'}}}}}";
    static const char out[] = "{'podSandboxId': '+p', 'config': {'image': {'image': '+i', 'userSpecifiedImage': '+u', "
                              "'runtimeHandler': '+h', 'imageRef': "
                              "'+r'}, 'mounts': [{'image': {'image': '+m'}}], 'linux': {'securityContext': {'privileged': true, "
                              "'namespaceOptions': {'pid': "
                              "'TARGET', 'targetId': '+t'}}}}}";
    struct exchange *exchange = *state;
    struct notes notes = {0};
    const struct names names = {.state = &notes, .kinds = ALL_KINDS, .map = note_name};
    exchange->names = &names;
    exchange_expect_request(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, in, out);
    static const char *const asked[] = {"p", "i", "u", "h", "r", "m", "t"};
    static const enum name_kind kinds[] = {NAME_POD,   NAME_IMAGE, NAME_IMAGE,    NAME_HANDLER,
                                           NAME_IMAGE, NAME_IMAGE, NAME_CONTAINER};
    assert_int_equal(notes.count, sizeof asked / sizeof asked[0]);
    for (size_t i = 0; i < notes.count; i++) {
        assert_string_equal(notes.asked[i].name, asked[i]);
        assert_int_equal(notes.asked[i].kind, kinds[i]);
    }
    notes.count = 0;
    exchange_expect_request(
        exchange, "CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1,
        "{'podSandboxId': 'p', 'config': {'image': {'image': 'i'}, 'linux': {'securityContext': {'namespaceOptions': "
        "{'pid': 'TARGET', 'targetId': 't'}}}}}",
        "{'podSandboxId': '+p', 'config': {'image': {'image': '+i', 'userSpecifiedImage': '+i'}, 'linux': {'securityContext': "
        "{'namespaceOptions': {'pid': 'TARGET', 'targetId': '+t'}}}}}");
    assert_int_equal(notes.count, 3);
    exchange->names = NULL;
}

TEST(each_name_of_a_response_is_mapped_once)
{
    struct exchange *exchange = *state;
    struct notes notes = {0};
    const struct names names = {.state = &notes, .kinds = ALL_KINDS, .map = note_name};
    exchange->names = &names;
    for (int from = 0; from < DIALECT_COUNT; from++) {
        for (int to = 0; to < DIALECT_COUNT; to++) {
            notes.count = 0;
            exchange_expect_response(
                exchange, "ListContainers", (enum dialect)from, (enum dialect)to,
                "{'containers': [{'id': 'c', 'podSandboxId': 'p', 'image': {'image': 'i'}, 'imageRef': 'r'}, {}]}",
                "{'containers': [{'id': '+c', 'podSandboxId': '+p', 'image': {'image': '+i'}, 'imageRef': '+r'}, {}]}");
            assert_int_equal(notes.count, 4);
            notes.count = 0;
            exchange_expect_response(exchange, "ListImages", (enum dialect)from, (enum dialect)to,
                                     "{'images': [{'id': 'i', 'repoTags': ['a', 'b'], 'repoDigests': ['d']}]}",
                                     "{'images': [{'id': '+i', 'repoTags': ['+a', '+b'], 'repoDigests': ['+d']}]}");
            assert_int_equal(notes.count, 4);
            exchange_expect_response(exchange, "Exec", (enum dialect)from, (enum dialect)to, "{'url': '/x'}", "{'url': '+/x'}");
        }
    }
    exchange->names = NULL;
}

TEST(only_kinds_that_differ_are_asked_for)
{
    struct exchange *exchange = *state;
    struct notes notes = {0};
    const struct names names = {.state = &notes, .kinds = 1U << NAME_POD, .map = note_name};
    exchange->names = &names;
    exchange_expect_response(exchange, "ListContainers", DIALECT_V1, DIALECT_V1_9,
                             "{'containers': [{'id': 'c', 'podSandboxId': 'p'}]}",
                             "{'containers': [{'id': 'c', 'podSandboxId': '+p'}]}");
    assert_int_equal(notes.count, 1);
    exchange_expect_request(exchange, "StopContainer", DIALECT_V1, DIALECT_V1, "{'containerId': 'c'}", "{'containerId': 'c'}");
    assert_int_equal(notes.count, 1);
    exchange->names = NULL;
}

/* A mapper that knows the handler to be needless in a dialect without the field answers empty; then nothing is refused. */
TEST(a_needless_name_is_no_reason_to_refuse)
{
    struct exchange *exchange = *state;
    struct notes notes = {0};
    const struct names names = {.state = &notes, .kinds = ALL_KINDS, .map = note_name};
    exchange->names = &names;
    exchange_expect_request(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_9, "{'runtimeHandler': 'kata'}", "{}");
    assert_int_equal(notes.count, 1);
    assert_false(notes.asked[0].carried);
    exchange->names = NULL;
}

TEST(a_refused_name_is_told_with_its_path)
{
    struct exchange *exchange = *state;
    struct notes notes = {0};
    const struct names names = {.state = &notes, .kinds = ALL_KINDS, .map = note_name};
    exchange->names = &names;
    exchange_expect_refused(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1,
                            "{'config': {'mounts': [{}, {'image': {'image': 'bad'}}]}}", STATUS_FAILED_PRECONDITION,
                            "config.mounts[1].image.image: a bad name");
    exchange_expect_refused(exchange, "ListContainers", DIALECT_V1_9, DIALECT_V1, "{'filter': {'id': 'bad'}}",
                            STATUS_FAILED_PRECONDITION, "filter.id: a bad name");
    exchange->names = NULL;
}

TEST(long_names_fit)
{
    struct exchange *exchange = *state;
    struct notes notes = {0};
    const struct names names = {.state = &notes, .kinds = ALL_KINDS, .map = note_name};
    exchange->names = &names;
    /* Around the lengths at which the length before a sub-message takes a byte more. */
    static const size_t lengths[] = {118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 16370, 16376, 16378, 16380, 16384};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t *id = arena_alloc(exchange->arena, lengths[i]);
        assert_non_null(id);
        memset(id, 'a', lengths[i]);
        struct bytes in = exchange_field(exchange, 1, exchange_field(exchange, 1, bytes_of(id, lengths[i])));
        struct bytes marked = exchange_join(exchange, bytes_of_string("+"), bytes_of(id, lengths[i]));
        struct bytes expected = exchange_field(exchange, 1, exchange_field(exchange, 1, marked));
        struct bytes out;
        notes.count = 0;
        assert_true(exchange_response(exchange, "ListContainers", DIALECT_V1, DIALECT_V1, in, &out));
        assert_true(bytes_equal(out, expected));
    }
    exchange->names = NULL;
}

/* ---- info entries ---- */

TEST(an_info_entry_adds_to_a_status)
{
    struct exchange *exchange = *state;
    const struct method *status = method_by_name("Status");
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct bytes first =
            exchange_response_bytes(exchange, "Status", (enum dialect)dialect, "{'status': {}, 'info': {'a': 'b'}}");
        struct bytes entry = response_info_entry(status, (enum dialect)dialect, bytes_of_string("crigate.runtime.x"),
                                                 bytes_of_string("{}"), exchange->arena);
        exchange_expect_message(status->in[dialect].response, exchange_join(exchange, first, entry),
                                "{'status': {}, 'info': {'a': 'b', 'crigate.runtime.x': '{}'}}");
    }
    struct bytes none =
        response_info_entry(method_by_name("Version"), DIALECT_V1, bytes_of_string("k"), bytes_of_string("v"), exchange->arena);
    assert_int_equal(none.len, 0);
}

TEST(an_item_in_a_later_piece_is_told_by_its_place_in_the_list)
{
    static const uint8_t two[] = {0x0A, 0x00, 0x0A, 0x00}, one[] = {0x0A, 0x00}, bad[] = {0x0A, 0x00, 0x0A, 0x01, 0x0A};
    const struct bytes before[] = {bytes_of(two, sizeof two), bytes_of(one, sizeof one)};
    struct arena *arena = arena_new((size_t)64 * 1024);
    assert_non_null(arena);
    struct conversion conversion = {.method = method_by_name("ListContainers"),
                                    .from = DIALECT_V1_9,
                                    .to = DIALECT_V1,
                                    .arena = arena,
                                    .merged = true,
                                    .before = {.each = before, .count = 2}};
    struct bytes converted;
    struct error error = {0};
    assert_false(convert_response(&conversion, bytes_of(bad, sizeof bad), &converted, &error));
    assert_int_equal(error.code, STATUS_INTERNAL);
    assert_non_null(strstr(error.message, "containers[4]"));
    arena_unref(arena);
}

/* What a merged response becomes, and how many items it lost. */
static bool convert_merged(struct exchange *exchange, const char *method, struct bytes in, struct bytes *out)
{
    struct conversion conversion = {
        .method = method_by_name(method), .from = DIALECT_V1, .to = DIALECT_V1, .arena = exchange->arena, .merged = true};
    exchange->error = (struct error){0};
    bool converted = convert_response(&conversion, in, out, &exchange->error);
    exchange->report = conversion.report;
    return converted;
}

/* Items of ListContainers: the bytes lie in an item, the strings are those of any depth. */
static const struct text_row {
    bool text;
    uint8_t size;
    uint8_t bytes[32];
} text_rows[] = {
    {true, 4, {0x0A, 2, 0xC3, 0xA4}},
    {false, 3, {0x0A, 1, 0xC3}},
    {false, 4, {0x0A, 2, 0xC0, 0x80}},
    {false, 5, {0x12, 3, 0xED, 0xA0, 0x80}},
    {true, 6, {0x12, 4, 0xF4, 0x8F, 0xBF, 0xBF}},
    {false, 6, {0x12, 4, 0xF4, 0x90, 0x80, 0x80}},
    {false, 18, {0x2A, 16, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 0x80}},
    {false, 11, {0x2A, 9, 0x80, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'}},
    {true, 11, {0x2A, 9, 'a', 'a', 'a', 'a', 'a', 'a', 'a', 0xC2, 0x80}},
    {false, 5, {0x1A, 3, 0x0A, 1, 0xFF}},                        /* metadata.name */
    {true, 9, {0x1A, 7, 0x0A, 2, 0xC2, 0xB5, 0x10, 0x80, 0x01}}, /* and an attempt of 128 */
    {false, 8, {0x42, 6, 0x0A, 1, 'k', 0x12, 1, 0xFF}},          /* labels */
    {false, 8, {0x42, 6, 0x0A, 1, 0xFF, 0x12, 1, 'v'}},

    {false, 10, {0x42, 0x87, 0, 0x0A, 1, 'k', 0x12, 2, 0xFF, 0xFF}}, /* a length that is spelled long */
    {true, 10, {0x42, 0x87, 0, 0x0A, 1, 'k', 0x12, 2, 0xC3, 0xA4}},
    {true, 4, {0xA2, 0x06, 1, 0xFF}},                                            /* what nobody knows to be a string */
    {true, 11, {0x38, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1}}, /* a number */
};

TEST(an_item_with_a_string_that_is_no_text_is_left_out)
{
    struct exchange *exchange = *state;
    const struct bytes good = BYTES(0x0A, 3, 0x0A, 1, 'g');
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        const struct text_row *row = &text_rows[i];
        struct bytes item = exchange_field(exchange, 1, bytes_of(row->bytes, row->size)), out;
        struct bytes in = exchange_join(exchange, exchange_join(exchange, good, item), good);
        assert_true(convert_merged(exchange, "ListContainers", in, &out));
        assert_int_equal(exchange->report.items, !row->text);
        if (!bytes_equal(out, row->text ? in : exchange_join(exchange, good, good))) {
            fail_msg("row %zu", i);
        }
        if (!row->text) {
            assert_memory_equal(exchange->report.first_item, "containers[1].", 14);
            assert_non_null(strstr(exchange->report.first_item, ": the string is not valid UTF-8"));
        }
    }
}

TEST(text_of_what_is_no_list_fails_the_response)
{
    struct exchange *exchange = *state;
    struct bytes out;
    /* status.conditions[0].message */
    assert_false(convert_merged(exchange, "Status", BYTES(0x0A, 5, 0x0A, 3, 0x22, 1, 0xFF), &out));
    assert_int_equal(exchange->error.code, STATUS_ABORTED);
    assert_string_equal(exchange->error.message, "status.conditions[0].message: the string is not valid UTF-8");
    /* An answer that goes on alone is its caller's to judge. */
    assert_true(exchange_response(exchange, "Status", DIALECT_V1, DIALECT_V1, BYTES(0x0A, 5, 0x0A, 3, 0x22, 1, 0xFF), &out));
    /* Bytes are no string. */
    assert_true(convert_merged(exchange, "ExecSync", BYTES(0x0A, 1, 0xFF), &out));
}
