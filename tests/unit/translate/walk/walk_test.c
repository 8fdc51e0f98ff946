/* The gate and the walk: what is refused, where, and what becomes of fields that a dialect does not know. */
#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/bytes/wire.h"
#include "translate/walk/names.h"
#include "translate/walk/walk.h"

#define MOST_BYTES 16
#define MOST_DEPTH 4

/* ---- the gate ---- */

/* Bytes inside a chain of sub-messages; `before` empty occurrences of the innermost one come first. */
static const struct gate_row {
    const char *method;
    enum dialect since; /* the oldest dialect that has the field */
    uint32_t path[MOST_DEPTH];
    unsigned before;
    uint8_t size;
    uint8_t bytes[MOST_BYTES];
    const char *refusal;
} gate_rows[] = {
    {"CreateContainer", DIALECT_V1, {2, 7}, 2, 4, {0x4A, 0, 0x4A, 0}, "config.mounts[2].image: it occurs twice"},
    {"CreateContainer", DIALECT_V1_9, {2}, 0, 4, {0x0A, 0, 0x0A, 0}, "config.metadata: it occurs twice"},
    {"CreateContainer", DIALECT_V1_9, {0}, 0, 4, {0x12, 0, 0x12, 0}, "config: it occurs twice"},
    {"CreateContainer", DIALECT_V1_9, {3, 8}, 0, 4, {0x12, 0, 0x12, 0}, "sandbox_config.linux.security_context: it occurs twice"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 2, 3, {0x1A, 1, 1}, "config.mounts[2].readonly: its wire type differs"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 0, 9, {0x19, 1}, "config.mounts[0].readonly: its wire type differs"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 1, 2, {0x08, 1}, "config.mounts[1].container_path: its wire type differs"},
    {"CreateContainer", DIALECT_V1_9, {2}, 0, 2, {0x38, 1}, "config.mounts[0]: its wire type differs"},
    {"CreateContainer", DIALECT_V1_9, {2}, 0, 9, {0x11, 1}, "config.image: its wire type differs"},
    {"CreateContainer",
     DIALECT_V1_9,
     {2, 7},
     0,
     5,
     {0x0A, 3, 'a', 0, 'b'},
     "config.mounts[0].container_path: the string contains a NUL"},
    {"CreateContainer", DIALECT_V1_9, {2}, 0, 3, {0x1A, 1, 0}, "config.command[0]: the string contains a NUL"},
    {"CreateContainer", DIALECT_V1_9, {2, 9}, 1, 4, {0x0A, 2, 'k', 0}, "config.labels[1].key: the string contains a NUL"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 2, 2, {0x0B, 0x0C}, "config.mounts[2]: malformed bytes"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 0, 2, {0x18, 0x80}, "config.mounts[0]: malformed bytes"},
    {"CreateContainer",
     DIALECT_V1_9,
     {2, 7},
     0,
     12,
     {0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1},
     "config.mounts[0]: malformed bytes"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 0, 3, {0x0A, 9, 'x'}, "config.mounts[0]: malformed bytes"},
    {"CreateContainer", DIALECT_V1_9, {2, 7}, 0, 2, {0x00, 0x00}, "config.mounts[0]: malformed bytes"},
    {"CreateContainer",
     DIALECT_V1_9,
     {2, 15, 2},
     0,
     4,
     {0x42, 2, 1, 0x80},
     "config.linux.security_context.supplemental_groups[0]: its wire type differs"},
    {"CreateContainer",
     DIALECT_V1_9,
     {2, 15, 2},
     0,
     7,
     {0x40, 1, 0x45, 1, 2, 3, 4},
     "config.linux.security_context.supplemental_groups[1]: its wire type differs"},
    {"CreateContainer", DIALECT_V1_9, {2, 15, 2, 3}, 0, 3, {0x0A, 1, 1}, "config.linux.security_context.namespace_options."},
    {"RunPodSandbox", DIALECT_V1_9, {1}, 0, 4, {0x0A, 0, 0x0A, 0}, "config.metadata: it occurs twice"},
    {"RunPodSandbox", DIALECT_V1_9, {1, 5}, 3, 3, {0x0A, 1, 0}, "config.port_mappings[3].protocol: its wire type differs"},
    {"UpdateContainerResources", DIALECT_V1_9, {2}, 0, 3, {0x0A, 1, 0}, "linux.cpu_period: its wire type differs"},
    {"StopPodSandbox", DIALECT_V1_9, {0}, 0, 4, {0x0A, 2, 'a', 0}, "pod_sandbox_id: the string contains a NUL"},
    {"StopPodSandbox", DIALECT_V1_9, {0}, 0, 1, {0x0B}, "StopPodSandboxRequest: malformed bytes"},
    {"StopPodSandbox", DIALECT_V1_9, {0}, 0, 1, {0x0A}, "StopPodSandboxRequest: malformed bytes"},
    {"ListContainers", DIALECT_V1_9, {0}, 0, 4, {0x0A, 0, 0x0A, 0}, "filter: it occurs twice"},
    {"ListContainers", DIALECT_V1_9, {1, 4}, 1, 3, {0x12, 1, 0}, "filter.label_selector[1].value: the string contains a NUL"},
    {"PullImage", DIALECT_V1_9, {2}, 0, 3, {0x12, 1, 0}, "auth.password: the string contains a NUL"},
    {"PullImage", DIALECT_V1_9, {3, 1}, 0, 2, {0x08, 1}, "sandbox_config.metadata.name: its wire type differs"},
    {"ExecSync", DIALECT_V1_9, {0}, 0, 5, {0x12, 1, 'a', 0x10, 1}, "cmd[1]: its wire type differs"},
};

static struct bytes gate_request(struct exchange *exchange, const struct gate_row *row)
{
    struct bytes bytes = bytes_of(row->bytes, row->size);
    unsigned before = row->before;
    for (size_t depth = MOST_DEPTH; depth > 0; depth--) {
        if (row->path[depth - 1] == 0) {
            continue;
        }
        bytes = exchange_field(exchange, row->path[depth - 1], bytes);
        for (; before > 0; before--) {
            bytes = exchange_join(exchange, exchange_field(exchange, row->path[depth - 1], bytes_of(NULL, 0)), bytes);
        }
    }
    return bytes;
}

ALL_TESTS(exchange_begin, exchange_end)

TEST(what_decoders_disagree_about_is_refused_with_its_path)
{
    for (size_t i = 0; i < sizeof gate_rows / sizeof gate_rows[0]; i++) {
        struct bytes request = gate_request(*state, &gate_rows[i]);
        for (int from = (int)gate_rows[i].since; from < DIALECT_COUNT; from++) {
            for (int to = 0; to < DIALECT_COUNT; to++) {
                exchange_expect_refused_bytes(*state, gate_rows[i].method, (enum dialect)from, (enum dialect)to, request,
                                              STATUS_INVALID_ARGUMENT, gate_rows[i].refusal);
            }
        }
    }
}

static void check_field_count(const struct schema_message *message)
{
    if (message->field_count > 64) {
        fail_msg("%s has more fields than the gate can remember", message->name);
    }
    for (uint16_t i = 0; i < message->field_count; i++) {
        if (message->fields[i].message) {
            check_field_count(message->fields[i].message);
        }
    }
}

/* Which sub-messages occurred is one bit each. */
TEST(no_message_has_more_fields_than_the_gate_remembers)
{
    for (uint16_t i = 0; i < method_count; i++) {
        for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            if (methods[i].in[dialect].path) {
                check_field_count(methods[i].in[dialect].request);
                check_field_count(methods[i].in[dialect].response);
            }
        }
    }
}

/* None of it is any of the gateway's business: decoders agree about it. */
TEST(what_decoders_agree_about_passes)
{
    struct bytes out;
    struct bytes id_twice = BYTES(0x0A, 1, 'a', 0x0A, 1, 'b');
    assert_true(exchange_request(*state, "StopPodSandbox", DIALECT_V1, DIALECT_V1, id_twice, &out));
    assert_true(bytes_equal(out, id_twice));
    /* Groups of numbers packed, unpacked and both; empty and at the end of the range. */
    struct bytes groups = BYTES(0x12, 17, 0x7A, 15, 0x12, 13, 0x42, 2, 1, 2, 0x42, 0, 0x40, 3, 0x42, 3, 0xFF, 0xFF, 0x7F);
    assert_true(exchange_request(*state, "CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1, groups, &out));
    exchange_expect_message(method_by_name("CreateContainer")->in[DIALECT_V1].request, out,
                            "{'config': {'linux': {'securityContext': {'supplementalGroups': ['1', '2', '3', '2097151']}}}}");
    /* A value of an enum that no dialect has. */
    exchange_expect_request(*state, "ListContainers", DIALECT_V1_9, DIALECT_V1, "{'filter': {'state': {'state': 77}}}",
                            "{'filter': {'state': {'state': 77}}}");
    assert_true(exchange_request(*state, "ListContainers", DIALECT_V1, DIALECT_V1, bytes_of(NULL, 0), &out));
    assert_int_equal(out.len, 0);
}

static bool mark_name(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                      struct mapped_name *mapped, struct error *error)
{
    (void)kind;
    (void)carried;
    (void)arena;
    (void)error;
    *mapped = (struct mapped_name){.front = bytes_of("+", name.len > 0)};
    return true;
}

static bool keep_name(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                      struct mapped_name *mapped, struct error *error)
{
    (void)kind;
    (void)carried;
    (void)arena;
    (void)error;
    mapped_name_same(mapped, name);
    return true;
}

/* As decoders have it, and as routing has read it. */
TEST(of_a_name_said_twice_the_last_counts)
{
    struct exchange *exchange = *state;
    const struct names names = {.kinds = ~0U, .map = mark_name};
    exchange->names = &names;
    struct bytes out;
    assert_true(exchange_request(exchange, "StopPodSandbox", DIALECT_V1, DIALECT_V1, BYTES(0x0A, 1, 'a', 0x0A, 0), &out));
    exchange_expect_message(method_by_name("StopPodSandbox")->in[DIALECT_V1].request, out, "{}");
    assert_true(exchange_request(exchange, "StopPodSandbox", DIALECT_V1, DIALECT_V1, BYTES(0x0A, 0, 0x0A, 1, 'a'), &out));
    exchange_expect_message(method_by_name("StopPodSandbox")->in[DIALECT_V1].request, out, "{'podSandboxId': '+'}");
    exchange->names = NULL;
}

static bool map_nothing(void *state, enum name_kind kind, bool carried, struct bytes name, struct arena *arena,
                        struct mapped_name *mapped, struct error *error)
{
    (void)carried;
    (void)arena;
    (void)mapped;
    (void)error;
    fail_msg("%.*s of kind %d was to be mapped", BYTES_SHOWN(name, 40), (int)kind);
    return false;
}

TEST(what_is_in_front_of_all_names_needs_no_mapping)
{
    struct exchange *exchange = *state;
    const struct names names = {.kinds = 1U << NAME_POD | 1U << NAME_CONTAINER,
                                .fronts = {[NAME_POD] = bytes_of_string("p__"), [NAME_CONTAINER] = bytes_of_string("c__")},
                                .map = map_nothing};
    exchange->names = &names;
    struct bytes out;
    /* {id: "a", pod_sandbox_id: "bc", image_ref: "d"}, {id: "", pod_sandbox_id: "e"} */
    struct bytes in = BYTES(0x0A, 10, 0x0A, 1, 'a', 0x12, 2, 'b', 'c', 0x2A, 1, 'd', 0x0A, 5, 0x0A, 0, 0x12, 1, 'e');
    assert_true(exchange_response(exchange, "ListContainers", DIALECT_V1, DIALECT_V1, in, &out));
    exchange_expect_message(
        method_by_name("ListContainers")->in[DIALECT_V1].response, out,
        "{'containers': [{'id': 'c__a', 'podSandboxId': 'p__bc', 'imageRef': 'd'}, {'podSandboxId': 'p__e'}]}");
    exchange->names = NULL;
}

TEST(a_malformed_response_is_the_runtimes_fault)
{
    struct exchange *exchange = *state;
    struct bytes out;
    /* containers[1].metadata twice */
    struct bytes twice = BYTES(0x0A, 0, 0x0A, 4, 0x1A, 0, 0x1A, 0);
    assert_false(exchange_response(exchange, "ListContainers", DIALECT_V1, DIALECT_V1_9, twice, &out));
    assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    assert_string_equal(exchange->error.message,
                        "containers[1].metadata: it occurs twice, and decoders disagree about what that means");
    assert_false(exchange_response(exchange, "ListContainers", DIALECT_V1, DIALECT_V1_9, BYTES(0x0A, 3, 0x0A), &out));
    assert_int_equal(exchange->error.code, STATUS_INTERNAL);
    assert_string_equal(exchange->error.message, "ListContainersResponse: malformed bytes");
}

/* ---- budgets ---- */

static struct bytes repeated_field(struct exchange *exchange, struct bytes one, size_t times)
{
    uint8_t *data = arena_alloc(exchange->arena, one.len * times);
    assert_non_null(data);
    for (size_t i = 0; i < times; i++) {
        memcpy(data + i * one.len, one.data, one.len);
    }
    return bytes_of(data, one.len * times);
}

TEST(too_many_elements_are_refused)
{
    enum { BUDGET = 262144 };
    struct bytes out;
    struct bytes commands = repeated_field(*state, BYTES(0x12, 0), BUDGET + 1);
    assert_true(
        exchange_request(*state, "ExecSync", DIALECT_V1, DIALECT_V1_9, bytes_of(commands.data, (size_t)2 * BUDGET), &out));
    exchange_expect_refused_bytes(*state, "ExecSync", DIALECT_V1, DIALECT_V1_9, commands, STATUS_RESOURCE_EXHAUSTED,
                                  "cmd[262144]: the request has too many elements");
    /* Each counts once, however it is spelled: timeout -1. */
    struct bytes timeouts =
        repeated_field(*state, BYTES(0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01), BUDGET + 1);
    assert_true(
        exchange_request(*state, "ExecSync", DIALECT_V1, DIALECT_V1_9, bytes_of(timeouts.data, (size_t)11 * BUDGET), &out));
    exchange_expect_refused_bytes(*state, "ExecSync", DIALECT_V1, DIALECT_V1_9, timeouts, STATUS_RESOURCE_EXHAUSTED,
                                  "timeout: the request has too many elements");
    struct bytes unknown = repeated_field(*state, BYTES(0x98, 0x06, 0), BUDGET + 1);
    exchange_expect_refused_bytes(*state, "ExecSync", DIALECT_V1, DIALECT_V1_9, unknown, STATUS_RESOURCE_EXHAUSTED,
                                  "ExecSyncRequest: the request has too many elements");
    struct bytes packed = exchange_field(*state, 8, repeated_field(*state, BYTES(1), BUDGET + 1));
    packed = exchange_field(*state, 2, exchange_field(*state, 15, exchange_field(*state, 2, packed)));
    exchange_expect_refused_bytes(*state, "CreateContainer", DIALECT_V1, DIALECT_V1, packed, STATUS_RESOURCE_EXHAUSTED,
                                  "config.linux.security_context.supplemental_groups[0]: the request has too many elements");
    /* A list of a runtime may be as long as it is. */
    struct bytes containers = repeated_field(*state, BYTES(0x0A, 0), BUDGET + 1);
    assert_true(exchange_response(*state, "ListContainers", DIALECT_V1, DIALECT_V1_9, containers, &out));
    assert_int_equal(out.len, containers.len);
}

/* Short of memory at every point in turn, until it is enough. */
TEST(the_arenas_cap_is_resource_exhausted)
{
    struct exchange *exchange = *state;
    static const char json[] =
        "{'podSandboxId': 'p', 'config': {'labels': {'a': 'b'}, 'linux': {'securityContext': {'seccompProfilePath': "
        "'localhost//p', 'apparmorProfile': 'localhost/x'}}}, 'sandboxConfig': {'hostname': 'h'}}";
    struct bytes request = exchange_request_bytes(exchange, "CreateContainer", DIALECT_V1_9, json);
    struct arena *roomy = exchange->arena;
    bool done = false;
    size_t failures = 0;
    for (size_t cap = 0; !done && cap < 65536; cap += 16) {
        struct bytes out;
        exchange->arena = arena_new(cap);
        done = exchange_request(exchange, "CreateContainer", DIALECT_V1_9, DIALECT_V1, request, &out);
        assert_true(done || exchange->error.code == STATUS_RESOURCE_EXHAUSTED);
        failures += !done;
        arena_unref(exchange->arena);
    }
    exchange->arena = roomy;
    assert_true(done);
    assert_true(failures > 50);
}

/* ---- what a dialect lacks ---- */

TEST(requests_are_refused_where_the_user_would_get_something_else)
{
    static const struct {
        const char *method, *request, *refusal;
        enum dialect from, to;
    } rows_lacking[] = {
        {"RunPodSandbox", "{'runtimeHandler': 'kata'}", "runtime_handler: the runtime's dialect v1_9 lacks it: ", DIALECT_V1,
         DIALECT_V1_9},
        {"RunPodSandbox", "{'config': {'portMappings': [{'protocol': 'SCTP'}, {'protocol': 'SCTP', 'hostPort': 1}]}}",
         "config.port_mappings[1].protocol: the runtime's dialect v1_9 lacks it: ", DIALECT_V1ALPHA2, DIALECT_V1_9},
        {"CreateContainer", "{'config': {'mounts': [{}, {}, {'image': {'image': 'x'}}]}}",
         "config.mounts[2].image: the runtime's dialect v1alpha2 lacks it: ", DIALECT_V1, DIALECT_V1ALPHA2},
        {"CreateContainer", "{'config': {'mounts': [{'mountOptions': ['exec']}]}}",
         "config.mounts[0].mount_options[0]: the runtime's dialect v1_12 lacks it: ", DIALECT_V1, DIALECT_V1_12},
        {"CreateContainer", "{'config': {'linux': {'securityContext': {'privileged': true, 'runAsGroup': {}}}}}",
         "config.linux.security_context.run_as_group: the runtime's dialect v1_9 lacks it: ", DIALECT_V1, DIALECT_V1_9},
        {"UpdateContainerResources", "{'windows': {'cpuCount': '1'}}",
         "windows: the runtime's dialect v1_12 lacks it: ", DIALECT_V1ALPHA2, DIALECT_V1_12},
    };
    for (size_t i = 0; i < sizeof rows_lacking / sizeof rows_lacking[0]; i++) {
        exchange_expect_refused(*state, rows_lacking[i].method, rows_lacking[i].from, rows_lacking[i].to, rows_lacking[i].request,
                                STATUS_INVALID_ARGUMENT, rows_lacking[i].refusal);
    }
}

TEST(fields_that_say_nothing_are_no_reason_to_refuse)
{
    struct exchange *exchange = *state;
    struct bytes out;
    /* runtime_handler "" and recursive_read_only false, said explicitly */
    assert_true(exchange_request(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_9, BYTES(0x12, 0), &out));
    exchange_expect_message(method_by_name("RunPodSandbox")->in[DIALECT_V1_9].request, out, "{}");
    struct bytes mount = BYTES(0x12, 4, 0x3A, 2, 0x40, 0);
    assert_true(exchange_request(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1ALPHA2, mount, &out));
    assert_int_equal(exchange->report.dropped, 0);
}

/* Fields that are newer than crigate: left out between packages, unless the operator wants to be told. */
TEST(unknown_fields_are_refused_where_that_is_strict)
{
    struct exchange *exchange = *state;
    struct bytes out;
    /* RunPodSandboxRequest.config.linux: field 77, a varint; its own field 99 */
    struct bytes inside = BYTES(0x0A, 5, 0x42, 3, 0xE8, 0x04, 1), outside = BYTES(0x9A, 0x06, 0);
    const struct bytes rows[] = {inside, outside};
    static const char *const told[] = {"config.linux: field 77 is newer than crigate", "RunPodSandboxRequest: field 99 is newer"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(exchange_request(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1ALPHA2, rows[i], &out));
        assert_int_equal(exchange->report.unknown_fields, 1);
        assert_true(leniency_add_strict(&exchange->leniency, LENIENCY_UNKNOWN, &exchange->error));
        for (int to = 0; to < DIALECT_COUNT; to++) {
            bool same = to == DIALECT_V1;
            assert_int_equal(exchange_request(exchange, "RunPodSandbox", DIALECT_V1, (enum dialect)to, rows[i], &out), same);
            assert_int_equal(exchange->error.code, same ? STATUS_OK : STATUS_INVALID_ARGUMENT);
            assert_true(same || strstr(exchange->error.message, told[i]));
        }
        assert_false(exchange_request(exchange, "RunPodSandbox", DIALECT_V1ALPHA2, DIALECT_V1, rows[i], &out));
        /* A response is never refused. */
        assert_true(exchange_response(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1ALPHA2, outside, &out));
        exchange->leniency = (struct leniency){0};
    }
}

TEST(responses_leave_out_and_count)
{
    struct exchange *exchange = *state;
    exchange_expect_response(exchange, "ListPodSandbox", DIALECT_V1, DIALECT_V1_9,
                             "{'items': [{'id': 'a', 'runtimeHandler': 'x'}, {'id': 'b', 'runtimeHandler': 'y'}, {'id': 'c'}]}",
                             "{'items': [{'id': 'a'}, {'id': 'b'}, {'id': 'c'}]}");
    assert_int_equal(exchange_losses(exchange, "PodSandbox.runtime_handler"), 2);
    assert_int_equal(exchange->report.dropped, 2);
    exchange_expect_response(exchange, "ContainerStatus", DIALECT_V1, DIALECT_V1_9,
                             "{'status': {'mounts': [{'hostPath': '/a', 'recursiveReadOnly': true, 'mountOptions': ['x', 'y']}], "
                             "'user': {}, 'stopSignal': 'SIGNAL_SIGTERM'}}",
                             "{'status': {'mounts': [{'hostPath': '/a'}]}}");
    assert_int_equal(exchange_losses(exchange, "Mount.recursive_read_only"), 1);
    assert_int_equal(exchange_losses(exchange, "Mount.mount_options"), 2);
    assert_int_equal(exchange_losses(exchange, "ContainerStatus.user"), 1);
    assert_int_equal(exchange_losses(exchange, "ContainerStatus.stop_signal"), 1);
    assert_int_equal(exchange->report.dropped, 5);
    assert_int_equal(exchange->report.unknown_fields, 0);
}

/* ---- what is copied ---- */

/* On the way through the model as well, and with names that are asked for but stay. */
TEST(where_nothing_changes_the_bytes_are_the_same)
{
    static const struct {
        const char *method, *json;
        bool request;
    } rows[] = {
        {"ListPodSandbox", "{'items': [{'id': 'a', 'metadata': {'name': 'n'}, 'createdAt': '1795180763336569347'}, {'id': 'b'}]}",
         false},
        {"ListPodSandbox", "{'items': [{'id': 'a', 'labels': {'k': 'v'}, 'annotations': {'': 'w'}}]}", false},
        {"StopPodSandbox", "{'podSandboxId': 'a'}", true},
        {"CreateContainer", "{'podSandboxId': 'a', 'config': {'envs': [{'key': 'k', 'value': 'v'}], 'logPath': 'l'}}", true},
    };
    struct exchange *exchange = *state;
    const struct names names = {.kinds = ~0U, .map = keep_name};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const char *method = rows[i / 2].method;
        bool request = rows[i / 2].request;
        struct bytes in = request ? exchange_request_bytes(exchange, method, DIALECT_V1, rows[i / 2].json)
                                  : exchange_response_bytes(exchange, method, DIALECT_V1, rows[i / 2].json);
        struct bytes out;
        exchange->names = i % 2 == 0 ? NULL : &names;
        assert_true((request ? exchange_request : exchange_response)(exchange, method, DIALECT_V1, DIALECT_V1ALPHA2, in, &out));
        assert_ptr_equal(out.data, in.data);
        assert_int_equal(out.len, in.len);
    }
    exchange->names = NULL;
}

/* What needs no change stays as it was spelled, beside what does. */
TEST(around_a_change_bytes_stay)
{
    struct exchange *exchange = *state;
    struct bytes out;
    /* Three pods; an id with a length of two bytes, and a handler that v1_9 lacks. */
    struct bytes in =
        BYTES(0x0A, 4, 0x0A, 0x81, 0, 'a', 0x0A, 9, 0x0A, 0x81, 0, 'b', 0x3A, 1, 'h', 0x20, 3, 0x0A, 0x82, 0, 0x20, 1);
    struct bytes expected = BYTES(0x0A, 4, 0x0A, 0x81, 0, 'a', 0x0A, 6, 0x0A, 0x81, 0, 'b', 0x20, 3, 0x0A, 0x82, 0, 0x20, 1);
    assert_true(exchange_response(exchange, "ListPodSandbox", DIALECT_V1, DIALECT_V1_9, in, &out));
    assert_int_equal(out.len, expected.len);
    assert_memory_equal(out.data, expected.data, expected.len);
}

/* ---- unknown fields ---- */

#define NEEDLE_SIZE 48

/* One unknown field of each wire type under that number. */
static struct bytes unknown_fields(uint32_t number, uint8_t memory[NEEDLE_SIZE])
{
    static const struct {
        enum wire_type type;
        uint8_t size;
        uint8_t bytes[8];
    } kinds[] = {
        {WIRE_VARINT, 2, {0x96, 0x01}},
        {WIRE_LENGTH, 4, {3, 'n', 'e', 'w'}},
        {WIRE_FIXED64, 8, {1, 2, 3, 4, 5, 6, 7, 8}},
        {WIRE_FIXED32, 4, {9, 8, 7, 6}},
    };
    size_t size = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size += wire_put_varint(memory + size, (uint64_t)number << 3 | kinds[i].type);
        memcpy(memory + size, kinds[i].bytes, kinds[i].size);
        size += kinds[i].size;
    }
    return bytes_of(memory, size);
}

#define UNKNOWN_A_PLACE 4

/* Where requests get unknown fields. A security context that says nothing else cannot go down to v1_9, with or without them. */
static const struct {
    const char *method;
    uint32_t path[MOST_DEPTH + 1];
    bool refused_by_v1_9;
} unknown_places[] = {
    {"RunPodSandbox", {0}, false},
    {"RunPodSandbox", {1}, false},
    {"RunPodSandbox", {1, 1}, false},
    {"RunPodSandbox", {1, 5}, false},
    {"RunPodSandbox", {1, 8, 2}, false},
    {"RunPodSandbox", {1, 8, 2, 2}, false},
    {"CreateContainer", {0}, false},
    {"CreateContainer", {2}, false},
    {"CreateContainer", {2, 2}, false},
    {"CreateContainer", {2, 7}, false},
    {"CreateContainer", {2, 15, 1}, false},
    {"CreateContainer", {2, 15, 2}, true},
    {"CreateContainer", {2, 15, 2, 3}, true},
    {"CreateContainer", {3, 8, 2}, false},
    {"UpdateContainerResources", {0}, false},
    {"UpdateContainerResources", {2}, false},
    {"PullImage", {1}, false},
    {"PullImage", {2}, false},
    {"PullImage", {3, 1}, false},
    {"ListContainers", {1}, false},
};

static struct bytes wrapped(struct exchange *exchange, const uint32_t *path, struct bytes bytes)
{
    for (size_t depth = MOST_DEPTH; depth > 0; depth--) {
        bytes = path[depth - 1] ? exchange_field(exchange, path[depth - 1], bytes) : bytes;
    }
    return bytes;
}

/* The sub-message at the end of a path; other fields may stand before and after on the way. */
static struct bytes unwrapped(const uint32_t *path, struct bytes bytes)
{
    for (size_t depth = 0; path[depth] != 0; depth++) {
        struct wire_reader reader = wire_reader_of(bytes);
        struct wire_field field = {0};
        bool found = false;
        while (!found && reader.at < reader.end) {
            assert_true(wire_read_field(&reader, &field));
            found = field.number == path[depth];
        }
        assert_true(found);
        bytes = field.payload;
    }
    return bytes;
}

/* Whether the message has exactly these unknown fields, in order; others may stand between. */
static bool holds_unknown(struct bytes message, struct bytes unknown, uint32_t number)
{
    uint8_t found[NEEDLE_SIZE];
    size_t size = 0;
    struct wire_reader reader = wire_reader_of(message);
    while (reader.at < reader.end) {
        struct wire_field field;
        assert_true(wire_read_field(&reader, &field));
        size_t length = (size_t)(reader.at - field.start);
        if (field.number != number) {
            continue;
        }
        if (size + length > sizeof found) {
            return false;
        }
        memcpy(found + size, field.start, length);
        size += length;
    }
    return bytes_equal(bytes_of(found, size), unknown);
}

static const uint32_t unknown_numbers[] = {100, 300, 511, 512, 5000, (1U << 28) - 1, (1U << 28) + 512, (1U << 29) - 1};

static bool same_package(int a, int b)
{
    return strcmp(dialects[a].package, dialects[b].package) == 0;
}

static void check_unknown(struct exchange *exchange, size_t place, int from, int to, uint32_t number)
{
    if (unknown_places[place].refused_by_v1_9 && to == DIALECT_V1_9 && from != DIALECT_V1_9) {
        return;
    }
    uint8_t memory[NEEDLE_SIZE];
    struct bytes unknown = unknown_fields(number, memory);
    const uint32_t *path = unknown_places[place].path;
    struct bytes in = wrapped(exchange, path, unknown);
    struct bytes out;
    if (!exchange_request(exchange, unknown_places[place].method, (enum dialect)from, (enum dialect)to, in, &out)) {
        fail_msg("%s from %s to %s: %s", unknown_places[place].method, dialects[from].name, dialects[to].name,
                 exchange->error.message);
    }
    bool kept = same_package(from, to);
    if (!holds_unknown(unwrapped(path, out), kept ? unknown : bytes_of(NULL, 0), number)) {
        fail_msg("%s from %s to %s, place %zu: unknown field %u is not as it should be", unknown_places[place].method,
                 dialects[from].name, dialects[to].name, place, number);
    }
    assert_int_equal(exchange->report.unknown_fields, kept ? 0 : UNKNOWN_A_PLACE);
}

TEST(unknown_fields_survive_inside_one_package_only)
{
    for (size_t place = 0; place < sizeof unknown_places / sizeof unknown_places[0]; place++) {
        for (int from = 0; from < DIALECT_COUNT; from++) {
            for (int to = 0; to < DIALECT_COUNT; to++) {
                for (size_t i = 0; i < sizeof unknown_numbers / sizeof unknown_numbers[0]; i++) {
                    check_unknown(*state, place, from, to, unknown_numbers[i]);
                }
            }
        }
    }
}

/* Unknown to their dialect, known to the model: the model must neither judge nor change them. */
TEST(unknown_fields_that_the_model_knows_pass_it_by)
{
    static const uint32_t mount[MOST_DEPTH + 1] = {2, 7};
    static const uint32_t config[MOST_DEPTH + 1] = {2};
    static const struct {
        const uint32_t *path;
        uint32_t number;
        uint8_t size;
        uint8_t bytes[8];
    } rows_known[] = {
        {mount, 8, 2, {0x40, 1}},                  /* recursive_read_only */
        {mount, 9, 5, {0x4A, 3, 0x0A, 1, 'x'}},    /* image */
        {mount, 9, 4, {0x4A, 0, 0x4A, 0}},         /* the same twice */
        {mount, 8, 3, {0x42, 1, 'x'}},             /* another type than the model's */
        {config, 17, 5, {0x8A, 0x01, 2, 0x0A, 0}}, /* CDI_devices */
        {config, 18, 3, {0x90, 0x01, 23}},         /* stop_signal */
    };
    struct exchange *exchange = *state;
    for (size_t i = 0; i < sizeof rows_known / sizeof rows_known[0]; i++) {
        struct bytes unknown = bytes_of(rows_known[i].bytes, rows_known[i].size);
        for (int from = 0; from < DIALECT_MODEL; from++) {
            for (int to = 0; to < DIALECT_MODEL; to++) {
                struct bytes out;
                struct bytes in = wrapped(exchange, rows_known[i].path, unknown);
                assert_true(exchange_request(exchange, "CreateContainer", (enum dialect)from, (enum dialect)to, in, &out));
                struct bytes expected = same_package(from, to) ? unknown : bytes_of(NULL, 0);
                assert_true(holds_unknown(unwrapped(rows_known[i].path, out), expected, rows_known[i].number));
            }
        }
    }
}

/* Numbers that unknown fields get on their way through the model are taken from nobody. */
TEST(numbers_that_the_escape_needs_are_refused)
{
    uint8_t memory[NEEDLE_SIZE];
    static const uint32_t config[MOST_DEPTH + 1] = {2};
    struct bytes in = wrapped(*state, config, unknown_fields((1U << 28) + 7, memory));
    exchange_expect_refused_bytes(*state, "CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1ALPHA2, in, STATUS_INVALID_ARGUMENT,
                                  "config: an unknown field has a number that crigate uses internally");
    struct bytes out;
    assert_true(exchange_request(*state, "CreateContainer", DIALECT_V1, DIALECT_V1, in, &out));
    assert_true(holds_unknown(unwrapped(config, out), unknown_fields((1U << 28) + 7, memory), (1U << 28) + 7));
    assert_true(exchange_request(*state, "CreateContainer", DIALECT_V1ALPHA2, DIALECT_V1, in, &out));
}

TEST(unknown_fields_of_responses_likewise)
{
    struct exchange *exchange = *state;
    uint8_t memory[NEEDLE_SIZE];
    struct bytes unknown = unknown_fields(300, memory);
    for (int from = 0; from < DIALECT_COUNT; from++) {
        for (int to = 0; to < DIALECT_COUNT; to++) {
            static const uint32_t metadata[MOST_DEPTH + 1] = {1, 3};
            struct bytes in = exchange_join(exchange, wrapped(exchange, metadata, unknown), unknown);
            struct bytes out;
            assert_true(exchange_response(exchange, "ListContainers", (enum dialect)from, (enum dialect)to, in, &out));
            bool kept = same_package(from, to);
            struct bytes expected = kept ? unknown : bytes_of(NULL, 0);
            assert_true(holds_unknown(out, expected, 300));
            assert_true(holds_unknown(unwrapped(metadata, out), expected, 300));
            assert_int_equal(exchange->report.unknown_fields, kept ? 0 : 2 * UNKNOWN_A_PLACE);
        }
    }
}

/* ---- paths ---- */

TEST(long_paths_are_cut)
{
    static const uint8_t message[] = {0x3A, 0, 0x3A, 0, 0x3A, 0};
    const struct schema_message *config = schema_message_by_name(DIALECT_V1, "ContainerConfig");
    const struct schema_field *mounts = schema_field_by_number(config, 7);
    struct walk_frame outer = {.field = mounts, .message = message, .at = message + 2};
    struct walk_frame inner = {.parent = &outer, .field = mounts, .message = message, .at = message + 4};
    char text[32];
    walk_path(&inner, text, sizeof text);
    assert_string_equal(text, "mounts[1].mounts[2]");
    for (size_t size = 1; size < 19; size++) {
        memset(text, 'x', sizeof text);
        walk_path(&inner, text, size);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, "mounts[1].mounts[2]", size - 1);
        assert_int_equal(text[size], 'x');
    }
    walk_path(NULL, text, sizeof text);
    assert_string_equal(text, "");
}
