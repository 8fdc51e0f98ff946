/* Odd and hostile requests that are messages all the same: each is carried as decoders read it, between all dialects, or refused
   with a path. */
#include <stdio.h>
#include <string.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/bytes/wire.h"
#include "translate/schema/method.h"

/* A container that every dialect takes: its own process namespace, privileged, so that nothing is masked. */
#define CONTAINER(members)                                                                                                       \
    "{'config': {" members "'linux': {'securityContext': {'privileged': true, 'namespaceOptions': {'pid': 'CONTAINER'}}}}}"

typedef void check_pair(struct exchange *exchange, enum dialect from, enum dialect to);

static void for_each_pair(struct exchange *exchange, check_pair *check)
{
    for (int from = 0; from < DIALECT_COUNT; from++) {
        for (int to = 0; to < DIALECT_COUNT; to++) {
            check(exchange, (enum dialect)from, (enum dialect)to);
        }
    }
}

static struct bytes converted(struct exchange *exchange, const char *method, enum dialect from, enum dialect to, struct bytes in)
{
    struct bytes out;
    if (!exchange_request(exchange, method, from, to, in, &out)) {
        fail_msg("%s from %s to %s: %s", method, dialects[from].name, dialects[to].name, exchange->error.message);
    }
    return out;
}

/* The next field with that number, from the reader on. */
static bool next_field(struct wire_reader *reader, uint32_t number, struct wire_field *field)
{
    while (reader->at < reader->end) {
        assert_true(wire_read_field(reader, field));
        if (field->number == number) {
            return true;
        }
    }
    return false;
}

/* The payload of the only field with that number. */
static struct bytes only_field(struct bytes message, uint32_t number)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    struct bytes payload;
    assert_true(next_field(&reader, number, &field));
    payload = field.payload;
    assert_false(next_field(&reader, number, &field));
    return payload;
}

enum { CONFIG = 2, COMMAND = 3, ENVS = 6, MOUNTS = 7, LABELS = 9 };

static struct bytes config_of(struct exchange *exchange, struct bytes config)
{
    return exchange_field(exchange, CONFIG, config);
}

/* ---- texts ---- */

static void check_environment(struct exchange *exchange, enum dialect from, enum dialect to)
{
    static const uint8_t value[] = {'a', 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF5, 'z'};
    struct bytes env = exchange_join(exchange, exchange_field(exchange, 1, bytes_of_string("NAME")),
                                     exchange_field(exchange, 2, bytes_of(value, sizeof value)));
    struct bytes in = config_of(exchange, exchange_field(exchange, ENVS, env));
    struct bytes out = converted(exchange, "CreateContainer", from, to, in);
    assert_true(bytes_equal(only_field(only_field(out, CONFIG), ENVS), env));
}

ALL_TESTS(exchange_begin, exchange_end)

/* A string in the schemas of the time before 1.37, bytes since; no pair may judge what is in it. */
TEST(values_of_the_environment_pass_untouched_whatever_their_bytes)
{
    for_each_pair(*state, check_environment);
}

static void check_texts(struct exchange *exchange, enum dialect from, enum dialect to)
{
    static const uint8_t text[] = {0xC3, 0x28, 0xE2, 0x82, 0xFE, 0xFF};
    struct bytes word = bytes_of(text, sizeof text);
    struct bytes label = exchange_join(exchange, exchange_field(exchange, 1, word), exchange_field(exchange, 2, word));
    struct bytes config =
        exchange_join(exchange, exchange_field(exchange, COMMAND, word), exchange_field(exchange, LABELS, label));
    struct bytes out = converted(exchange, "CreateContainer", from, to, config_of(exchange, config));
    assert_true(bytes_equal(only_field(only_field(out, CONFIG), COMMAND), word));
    assert_true(bytes_equal(only_field(only_field(out, CONFIG), LABELS), label));
    /* As an id, which may be mapped. */
    struct bytes id = exchange_field(exchange, 1, word);
    assert_true(bytes_equal(converted(exchange, "StopPodSandbox", from, to, id), id));
}

/* Runtimes that mind refuse it themselves. */
TEST(texts_that_are_not_utf8_pass_untouched)
{
    for_each_pair(*state, check_texts);
}

static void check_nul(struct exchange *exchange, enum dialect from, enum dialect to)
{
    struct bytes env = exchange_join(exchange, exchange_field(exchange, 1, bytes_of_string("NAME")),
                                     exchange_field(exchange, 2, bytes_of("a\0b", 3)));
    struct bytes in = config_of(exchange, exchange_field(exchange, ENVS, env));
    if (from == DIALECT_V1) {
        /* No text there. */
        struct bytes out = converted(exchange, "CreateContainer", from, to, in);
        assert_true(bytes_equal(only_field(only_field(out, CONFIG), ENVS), env));
    } else {
        exchange_expect_refused_bytes(exchange, "CreateContainer", from, to, in, STATUS_INVALID_ARGUMENT,
                                      "config.envs[0].value: the string contains a NUL byte");
    }
}

TEST(a_nul_is_refused_in_texts_and_passes_in_bytes)
{
    for_each_pair(*state, check_nul);
}

/* ---- maps ---- */

static void check_double_key(struct exchange *exchange, enum dialect from, enum dialect to)
{
    struct bytes key = exchange_field(exchange, 1, bytes_of_string("k"));
    struct bytes first =
        exchange_field(exchange, LABELS, exchange_join(exchange, key, exchange_field(exchange, 2, bytes_of_string("1"))));
    struct bytes second =
        exchange_field(exchange, LABELS, exchange_join(exchange, key, exchange_field(exchange, 2, bytes_of_string("2"))));
    struct bytes out =
        converted(exchange, "CreateContainer", from, to, config_of(exchange, exchange_join(exchange, first, second)));
    struct wire_reader reader = wire_reader_of(only_field(out, CONFIG));
    struct wire_field field;
    /* Both are there, in their order: of a key said twice, decoders take the last. */
    for (char value = '1'; value <= '2'; value++) {
        assert_true(next_field(&reader, LABELS, &field));
        assert_true(bytes_equal(only_field(field.payload, 2), bytes_of(&value, 1)));
    }
    assert_false(next_field(&reader, LABELS, &field));
}

TEST(of_a_key_said_twice_the_last_counts_everywhere)
{
    for_each_pair(*state, check_double_key);
}

#define MANY 100000

static size_t count_of(struct bytes message, uint32_t number)
{
    size_t count = 0;
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (next_field(&reader, number, &field)) {
        count++;
    }
    return count;
}

static struct bytes many(struct exchange *exchange, uint32_t number, struct bytes payload)
{
    struct bytes one = exchange_field(exchange, number, payload);
    uint8_t *data = arena_alloc(exchange->arena, one.len * MANY);
    assert_non_null(data);
    for (size_t i = 0; i < MANY; i++) {
        memcpy(data + i * one.len, one.data, one.len);
    }
    return bytes_of(data, one.len * MANY);
}

static void check_empty_labels(struct exchange *exchange, enum dialect from, enum dialect to)
{
    struct bytes in = config_of(exchange, many(exchange, LABELS, bytes_of(NULL, 0)));
    struct bytes out = converted(exchange, "CreateContainer", from, to, in);
    assert_int_equal(count_of(only_field(out, CONFIG), LABELS), MANY);
}

TEST(a_hundred_thousand_empty_labels_pass)
{
    struct exchange *exchange = *state;
    exchange_cap(exchange, (size_t)2 << 30);
    for_each_pair(exchange, check_empty_labels);
}

/* Were the path made for each, or one list held against the other, this would be felt. */
TEST(letting_many_things_through_takes_no_longer_than_they_are)
{
    struct exchange *exchange = *state;
    exchange_cap(exchange, (size_t)1 << 30);
    exchange->leniency.all = true;
    enum { RECURSIVE_READ_ONLY = 8, ANNOTATIONS = 10, CDI_DEVICES = 17 };
    static const uint8_t recursive[] = {RECURSIVE_READ_ONLY << 3, 1};
    struct bytes in = config_of(exchange, many(exchange, MOUNTS, bytes_of(recursive, sizeof recursive)));
    struct bytes out = converted(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1ALPHA2, in);
    assert_int_equal(count_of(only_field(out, CONFIG), MOUNTS), MANY);
    assert_int_equal(exchange->report.rules[RULE_Mount_recursive_read_only].let_through, MANY);
    struct bytes annotation = exchange_join(exchange, exchange_field(exchange, 1, bytes_of_string("cdi.k8s.io/x")),
                                            exchange_field(exchange, 2, bytes_of_string("e")));
    struct bytes devices = many(exchange, CDI_DEVICES, exchange_field(exchange, 1, bytes_of_string("d")));
    struct bytes annotations = many(exchange, ANNOTATIONS, annotation);
    in = exchange_join(exchange, bytes_of(devices.data, devices.len / 2), bytes_of(annotations.data, annotations.len / 2));
    out = converted(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1ALPHA2, config_of(exchange, in));
    assert_int_equal(count_of(only_field(out, CONFIG), ANNOTATIONS), MANY / 2);
    assert_int_equal(count_of(only_field(out, CONFIG), CDI_DEVICES), 0);
    assert_int_equal(exchange->report.rules[RULE_ContainerConfig_CDI_devices].let_through, MANY / 2);
    exchange->leniency.all = false;
}

/* ---- numbers ---- */

static void check_numbers(struct exchange *exchange, enum dialect from, enum dialect to)
{
    static const char *const containers[] = {
        CONTAINER("'metadata': {'attempt': 4294967295}, "),
        "{'config': {'linux': {'resources': {'cpuPeriod': '-9223372036854775808', 'cpuQuota': '9223372036854775807', "
        "'oomScoreAdj': "
        "'-1000', 'cpuShares': '-1', 'memoryLimitInBytes': '9223372036854775807'}, 'securityContext': {'privileged': true, "
        "'runAsUser': {'value': '-9223372036854775808'}, 'supplementalGroups': ['-1', '0', '9223372036854775807'], "
        "'namespaceOptions': {'pid': 'NODE'}}}}}",
    };
    for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++) {
        char in[1024];
        char out[1024];
        const char *const spellings[] = {"{'pid': 'CONTAINER'}", "{'pid': 'NODE'}"};
        const char *const old_spellings[] = {"{}", "{'hostPid': true}"};
        const char *at = strstr(containers[i], spellings[i]);
        int before = (int)(at - containers[i]);
        const char *after = at + strlen(spellings[i]);
        snprintf(in, sizeof in, "%.*s%s%s", before, containers[i], from == DIALECT_V1_9 ? old_spellings[i] : spellings[i], after);
        snprintf(out, sizeof out, "%.*s%s%s", before, containers[i], to == DIALECT_V1_9 ? old_spellings[i] : spellings[i], after);
        exchange_expect_request(exchange, "CreateContainer", from, to, in, out);
    }
    static const char ports[] = "{'config': {'portMappings': [{'containerPort': -1, 'hostPort': -2147483648}, {'containerPort': "
                                "2147483647}], 'linux': {'securityContext': {'privileged': true}}}}";
    if (from == DIALECT_V1_9 || to == DIALECT_V1_9) {
        return; /* what else they say of that is tried above */
    }
    exchange_expect_request(exchange, "RunPodSandbox", from, to, ports, ports);
    exchange_expect_request(exchange, "ExecSync", from, to, "{'timeout': '-9223372036854775808'}",
                            "{'timeout': '-9223372036854775808'}");
}

TEST(negative_and_huge_numbers_stay_what_they_are)
{
    for_each_pair(*state, check_numbers);
}

/* A number said in more bytes than it needs is that number; lengths and tags are not spelt so. */
TEST(longer_spellings_of_a_number_are_that_number)
{
    struct exchange *exchange = *state;
    const struct schema_message *schema = method_by_name("CreateContainer")->in[DIALECT_V1].request;
    /* config.mounts[0].readonly: 1 in ten bytes */
    struct bytes in = BYTES(0x12, 13, 0x3A, 11, 0x18, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00);
    exchange_expect_message(schema, converted(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, in),
                            "{'config': {'mounts': [{'readonly': true}]}}");
    /* A length in six bytes, a tag in six bytes, and a number of more than 64 bits. */
    exchange_expect_refused_bytes(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1,
                                  BYTES(0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00), STATUS_INVALID_ARGUMENT,
                                  "CreateContainerRequest: malformed bytes");
    exchange_expect_refused_bytes(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1,
                                  BYTES(0x92, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00), STATUS_INVALID_ARGUMENT,
                                  "CreateContainerRequest: malformed bytes");
    exchange_expect_refused_bytes(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1,
                                  BYTES(0x12, 13, 0x3A, 11, 0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02),
                                  STATUS_INVALID_ARGUMENT, "config.mounts[0]: malformed bytes");
    /* The longest length that can be said. */
    exchange_expect_refused_bytes(exchange, "CreateContainer", DIALECT_V1, DIALECT_V1, BYTES(0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F),
                                  STATUS_INVALID_ARGUMENT, "CreateContainerRequest: malformed bytes");
}

/* ---- values of later versions ---- */

static void check_later_values(struct exchange *exchange, enum dialect from, enum dialect to)
{
    static const char mounts[] = "{'config': {'mounts': [{'propagation': 99}, {'propagation': -1}]}}";
    struct bytes out;
    struct bytes in = exchange_request_bytes(exchange, "CreateContainer", from, mounts);
    out = only_field(converted(exchange, "CreateContainer", from, to, in), CONFIG);
    enum { PROPAGATION = 5 };
    static const int64_t values[] = {99, -1};
    struct wire_reader reader = wire_reader_of(out);
    for (size_t i = 0; i < 2; i++) {
        struct wire_field mount, value;
        assert_true(next_field(&reader, MOUNTS, &mount));
        struct wire_reader inner = wire_reader_of(mount.payload);
        assert_true(next_field(&inner, PROPAGATION, &value));
        assert_int_equal((int64_t)value.value, values[i]);
    }
    static const char filter[] = "{'filter': {'state': {'state': 77}}}";
    exchange_expect_request(exchange, "ListContainers", from, to, filter, filter);
}

TEST(values_of_later_versions_stay_where_the_target_has_the_field)
{
    for_each_pair(*state, check_later_values);
}

#define NAMESPACES(options) "{'config': {'linux': {'securityContext': {'namespaceOptions': " options "}}}}"

TEST(modes_of_later_versions_are_refused_where_they_cannot_be_said)
{
    struct exchange *exchange = *state;
    exchange_expect_request(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1ALPHA2, NAMESPACES("{'pid': 7}"),
                            NAMESPACES("{'pid': 7}"));
    exchange_expect_refused(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_12, NAMESPACES("{'pid': 7}"),
                            STATUS_INVALID_ARGUMENT,
                            "config.linux.security_context.namespace_options.pid: the runtime's dialect "
                            "v1_12 has only POD, CONTAINER and NODE, and a mode of a later version");
    exchange_expect_refused(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_9, NAMESPACES("{'pid': 'CONTAINER', 'ipc': -1}"),
                            STATUS_INVALID_ARGUMENT, "config.linux.security_context.namespace_options.ipc: ");
    /* Of a longer number, decoders read 32 bits: this one is NODE. */
    struct bytes longer = BYTES(0x10, 0x82, 0x80, 0x80, 0x80, 0x10);
    enum { CONFIG_OF_POD = 1, LINUX = 8, SECURITY = 2, OPTIONS = 1 };
    struct bytes request = exchange_field(exchange, SECURITY, exchange_field(exchange, OPTIONS, longer));
    request = exchange_field(exchange, CONFIG_OF_POD, exchange_field(exchange, LINUX, request));
    exchange_expect_message(method_by_name("RunPodSandbox")->in[DIALECT_V1_9].request,
                            converted(exchange, "RunPodSandbox", DIALECT_V1, DIALECT_V1_9, request),
                            NAMESPACES("{'hostPid': true}"));
}
