#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/schema/peek.h"

static struct bytes text(const char *string)
{
    return bytes_of_string(string);
}

static void assert_bytes(struct bytes found, const char *expected)
{
    if (!bytes_equal(found, text(expected))) {
        fail_msg("found \"%.*s\", not \"%s\"", (int)found.len, (const char *)found.data, expected);
    }
}

static const struct {
    const char *method;
    enum peek what;
    const char *request;
    const char *found;
} rows[] = {
    {"StopPodSandbox", PEEK_POD, "{'podSandboxId': 'p1'}", "p1"},
    {"StopPodSandbox", PEEK_POD, "{}", ""},
    {"StopPodSandbox", PEEK_CONTAINER, "{'podSandboxId': 'p1'}", ""},
    {"CreateContainer", PEEK_POD, "{'podSandboxId': 'p1', 'config': {'image': {'image': 'busybox'}}}", "p1"},
    {"CreateContainer", PEEK_IMAGE, "{'podSandboxId': 'p1', 'config': {'image': {'image': 'busybox'}}}", "busybox"},
    {"CreateContainer", PEEK_IMAGE, "{'config': {}}", ""},
    {"StartContainer", PEEK_CONTAINER, "{'containerId': 'c1'}", "c1"},
    {"ListContainers", PEEK_CONTAINER, "{'filter': {'id': 'c1', 'podSandboxId': 'p1'}}", "c1"},
    {"ListContainers", PEEK_POD, "{'filter': {'id': 'c1', 'podSandboxId': 'p1'}}", "p1"},
    {"ListContainerStats", PEEK_POD, "{'filter': {'podSandboxId': 'p1'}}", "p1"},
    {"ListImages", PEEK_IMAGE, "{'filter': {'image': {'image': 'busybox'}}}", "busybox"},
    {"PullImage", PEEK_IMAGE, "{'image': {'image': 'busybox'}}", "busybox"},
    {"Version", PEEK_POD, "{'version': '0.1.0'}", ""},
};

ALL_TESTS(exchange_begin, exchange_end)

TEST(every_dialect_finds_what_routing_needs)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            struct bytes request = exchange_request_bytes(*state, rows[i].method, (enum dialect)dialect, rows[i].request);
            assert_bytes(peek_bytes(method_by_name(rows[i].method), (enum dialect)dialect, rows[i].what, request), rows[i].found);
        }
    }
}

TEST(a_place_that_a_dialect_lacks_is_empty)
{
    const struct method *run = method_by_name("RunPodSandbox");
    struct bytes request = exchange_request_bytes(*state, "RunPodSandbox", DIALECT_V1, "{'runtimeHandler': 'kata'}");
    assert_bytes(peek_bytes(run, DIALECT_V1, PEEK_HANDLER, request), "kata");
    assert_bytes(peek_bytes(run, DIALECT_V1_9, PEEK_HANDLER, request), "");
    const struct method *pull = method_by_name("PullImage");
    request = exchange_request_bytes(*state, "PullImage", DIALECT_V1,
                                     "{'image': {'runtimeHandler': 'kata', 'annotations': {'a': 'b'}}}");
    assert_bytes(peek_bytes(pull, DIALECT_V1, PEEK_IMAGE_HANDLER, request), "kata");
    assert_bytes(peek_bytes(pull, DIALECT_V1ALPHA2, PEEK_IMAGE_HANDLER, request), "");
    assert_bytes(peek_map(pull, DIALECT_V1, PEEK_IMAGE_ANNOTATIONS, request, text("a")), "b");
    assert_bytes(peek_map(pull, DIALECT_V1_9, PEEK_IMAGE_ANNOTATIONS, request, text("a")), "");
}

TEST(annotations_are_found_by_key)
{
    static const char json[] = "{'config': {'annotations': {'first': '1', 'second': '2', 'none': ''}, 'labels': {'third': '3'}}}";
    const struct method *method = method_by_name("RunPodSandbox");
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct bytes request = exchange_request_bytes(*state, "RunPodSandbox", (enum dialect)dialect, json);
        assert_bytes(peek_map(method, (enum dialect)dialect, PEEK_SANDBOX_ANNOTATIONS, request, text("first")), "1");
        assert_bytes(peek_map(method, (enum dialect)dialect, PEEK_SANDBOX_ANNOTATIONS, request, text("second")), "2");
        assert_bytes(peek_map(method, (enum dialect)dialect, PEEK_SANDBOX_ANNOTATIONS, request, text("none")), "");
        assert_bytes(peek_map(method, (enum dialect)dialect, PEEK_SANDBOX_ANNOTATIONS, request, text("third")), "");
        assert_bytes(peek_map(method, (enum dialect)dialect, PEEK_SANDBOX_ANNOTATIONS, request, text("firs")), "");
    }
    struct bytes empty = bytes_of(NULL, 0);
    assert_bytes(peek_map(method, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, empty, text("first")), "");
}

TEST(verbose_is_read)
{
    const struct method *method = method_by_name("Status");
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct bytes request = exchange_request_bytes(*state, "Status", (enum dialect)dialect, "{'verbose': true}");
        assert_true(peek_bool(method, (enum dialect)dialect, PEEK_VERBOSE, request));
        assert_false(peek_bool(method, (enum dialect)dialect, PEEK_VERBOSE, bytes_of(NULL, 0)));
    }
    assert_false(peek_bool(method, DIALECT_V1, PEEK_VERBOSE, BYTES(0x08, 1, 0x08, 0)));
    assert_true(peek_bool(method, DIALECT_V1, PEEK_VERBOSE, BYTES(0x08, 0, 0x08, 1)));
    assert_true(peek_bool(method, DIALECT_V1, PEEK_VERBOSE, BYTES(0x08, 0x80, 0x02)));
}

/* What a decoder would take is what routing must take. */
TEST(the_last_occurrence_wins)
{
    const struct method *stop = method_by_name("StopPodSandbox");
    assert_bytes(peek_bytes(stop, DIALECT_V1, PEEK_POD, BYTES(0x0A, 1, 'a', 0x0A, 1, 'b')), "b");
    assert_bytes(peek_bytes(stop, DIALECT_V1, PEEK_POD, BYTES(0x0A, 1, 'a', 0x0A, 0)), "");
    /* Another wire type is not the field; the request is refused later. */
    assert_bytes(peek_bytes(stop, DIALECT_V1, PEEK_POD, BYTES(0x0A, 1, 'a', 0x08, 1)), "a");
    const struct method *run = method_by_name("RunPodSandbox");
    /* config { annotations {k: 1}, annotations {k: 2} } */
    struct bytes twice = BYTES(0x0A, 16, 0x3A, 6, 0x0A, 1, 'k', 0x12, 1, '1', 0x3A, 6, 0x0A, 1, 'k', 0x12, 1, '2');
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, twice, text("k")), "2");
    /* Of an entry that says its key or value twice, the last. */
    struct bytes keys = BYTES(0x0A, 11, 0x3A, 9, 0x0A, 1, 'j', 0x0A, 1, 'k', 0x12, 1, '1');
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, keys, text("k")), "1");
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, keys, text("j")), "");
    /* An entry without a key has the empty one. */
    struct bytes keyless = BYTES(0x0A, 5, 0x3A, 3, 0x12, 1, '1');
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, keyless, text("")), "1");
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, keyless, text("k")), "");
    /* A later entry without a value has the empty one. */
    struct bytes emptied = BYTES(0x0A, 13, 0x3A, 6, 0x0A, 1, 'k', 0x12, 1, '1', 0x3A, 3, 0x0A, 1, 'k');
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, emptied, text("k")), "");
}

TEST(malformed_requests_end_the_search)
{
    const struct method *stop = method_by_name("StopPodSandbox");
    assert_bytes(peek_bytes(stop, DIALECT_V1, PEEK_POD, BYTES(0x0A, 9, 'a')), "");
    assert_bytes(peek_bytes(stop, DIALECT_V1, PEEK_POD, BYTES(0x0A, 1, 'a', 0x0B)), "a");
    assert_bytes(peek_bytes(stop, DIALECT_V1, PEEK_POD, BYTES(0xFF)), "");
    const struct method *run = method_by_name("RunPodSandbox");
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, BYTES(0x0A, 3, 0x3A, 9, 0x0A), text("k")), "");
    assert_bytes(peek_map(run, DIALECT_V1, PEEK_SANDBOX_ANNOTATIONS, BYTES(0x0A, 2, 0x38, 1), text("k")), "");
}
