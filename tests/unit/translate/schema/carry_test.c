/* Fields whose meaning differs between dialects, in responses: what they become on the other side. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/message_fixture.h"
#include "translate/schema/method.h"

#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BARE_DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* ---- filesystems ---- */

/* A node with one filesystem. */
static struct bytes fake_mountpoint(void *state, struct bytes uuid, struct arena *arena)
{
    ++*(unsigned *)state;
    return bytes_equal(uuid, bytes_of_string("u-1")) ? arena_copy(arena, bytes_of_string("/var/lib")) : (struct bytes){0};
}

static struct bytes fake_uuid(void *state, struct bytes directory, struct arena *arena)
{
    ++*(unsigned *)state;
    return bytes_start_with(directory, bytes_of_string("/var/lib")) ? arena_copy(arena, bytes_of_string("u-1"))
                                                                    : (struct bytes){0};
}

ALL_TESTS(exchange_begin, exchange_end)

TEST(filesystems_are_named_as_the_caller_knows_them)
{
    struct exchange *exchange = *state;
    unsigned asked = 0;
    const struct node node = {.state = &asked, .mountpoint_of_uuid = fake_mountpoint, .uuid_of_directory = fake_uuid};
    exchange->node = &node;
    for (int newer = DIALECT_V1_12; newer < DIALECT_COUNT; newer++) {
        asked = 0;
        exchange_expect_response(
            exchange, "ImageFsInfo", DIALECT_V1_9, (enum dialect)newer,
            "{'imageFilesystems': [{'timestamp': '7', 'storageId': {'uuid': 'u-1'}, 'usedBytes': {'value': '5'}}, "
            "{'storageId': {'uuid': 'u-2'}}, {'timestamp': '8'}, {'storageId': {}}]}",
            "{'imageFilesystems': [{'timestamp': '7', 'usedBytes': {'value': '5'}, 'fsId': {'mountpoint': '/var/lib'}}, "
            "{}, {'timestamp': '8'}, {}]}");
        assert_int_equal(asked, 2);
        assert_int_equal(exchange_losses(exchange, "FilesystemUsage.fs_id"), 1);
        exchange_expect_response(
            exchange, "ListContainerStats", (enum dialect)newer, DIALECT_V1_9,
            "{'stats': [{'writableLayer': {'fsId': {'mountpoint': '/var/lib/containerd'}, 'inodesUsed': {}}}, "
            "{'writableLayer': {'fsId': {'mountpoint': '/tmp'}}}]}",
            "{'stats': [{'writableLayer': {'storageId': {'uuid': 'u-1'}, 'inodesUsed': {}}}, "
            "{'writableLayer': {}}]}");
        assert_int_equal(exchange_losses(exchange, "FilesystemUsage.fs_id"), 1);
    }
    exchange->node = NULL;
}

TEST(a_node_that_says_nothing_leaves_the_identifier_out)
{
    struct exchange *exchange = *state;
    const struct node silent = {0};
    const struct node *const nodes[] = {NULL, &silent};
    for (size_t i = 0; i < 2; i++) {
        exchange->node = nodes[i];
        exchange_expect_response(exchange, "ImageFsInfo", DIALECT_V1_9, DIALECT_V1,
                                 "{'imageFilesystems': [{'storageId': {'uuid': 'u'}}]}", "{'imageFilesystems': [{}]}");
        assert_int_equal(exchange_losses(exchange, "FilesystemUsage.fs_id"), 1);
    }
    exchange->node = NULL;
}

/* Between dialects that name filesystems the same way nobody is asked. */
TEST(filesystems_pass_where_the_dialects_agree)
{
    static const char json[] = "{'imageFilesystems': [{'fsId': {'mountpoint': '/somewhere'}}]}";
    for (int from = DIALECT_V1_12; from < DIALECT_COUNT; from++) {
        for (int to = DIALECT_V1_12; to < DIALECT_COUNT; to++) {
            exchange_expect_response(*state, "ImageFsInfo", (enum dialect)from, (enum dialect)to, json, json);
        }
    }
    static const char old[] = "{'imageFilesystems': [{'storageId': {'uuid': 'u'}}]}";
    exchange_expect_response(*state, "ImageFsInfo", DIALECT_V1_9, DIALECT_V1_9, old, old);
}

TEST(a_malformed_identifier_is_the_runtimes_fault)
{
    struct exchange *exchange = *state;
    struct bytes out;
    struct bytes in = BYTES(0x0A, 4, 0x12, 2, 0x0A, 9);
    assert_false(exchange_response(exchange, "ImageFsInfo", DIALECT_V1_9, DIALECT_V1, in, &out));
    assert_int_equal(exchange->error.code, STATUS_INTERNAL);
}

/* ---- image ids ---- */

static const struct image_row {
    const char *list;  /* of an older dialect */
    const char *newer; /* what a newer caller sees */
} image_rows[] = {
    {"{'containers': [{'imageRef': '" DIGEST "'}]}", "{'containers': [{'imageRef': '" DIGEST "', 'imageId': '" DIGEST "'}]}"},
    {"{'containers': [{'imageRef': '" BARE_DIGEST "'}]}",
     "{'containers': [{'imageRef': '" BARE_DIGEST "', 'imageId': '" BARE_DIGEST "'}]}"},
    {"{'containers': [{'imageRef': 'busybox@" DIGEST "'}]}", "{'containers': [{'imageRef': 'busybox@" DIGEST "'}]}"},
    {"{'containers': [{'imageRef': 'docker-pullable://busybox@" DIGEST "'}]}",
     "{'containers': [{'imageRef': 'docker-pullable://busybox@" DIGEST "'}]}"},
    {"{'containers': [{'id': 'c'}]}", "{'containers': [{'id': 'c'}]}"},
};

TEST(only_an_image_id_becomes_one)
{
    for (size_t i = 0; i < sizeof image_rows / sizeof image_rows[0]; i++) {
        for (int from = 0; from < DIALECT_V1; from++) {
            exchange_expect_response(*state, "ListContainers", (enum dialect)from, DIALECT_V1, image_rows[i].list,
                                     image_rows[i].newer);
            for (int to = 0; to < DIALECT_V1; to++) {
                exchange_expect_response(*state, "ListContainers", (enum dialect)from, (enum dialect)to, image_rows[i].list,
                                         image_rows[i].list);
            }
        }
    }
    exchange_expect_response(*state, "ContainerStatus", DIALECT_V1_9, DIALECT_V1, "{'status': {'imageRef': '" DIGEST "'}}",
                             "{'status': {'imageRef': '" DIGEST "', 'imageId': '" DIGEST "'}}");
    exchange_expect_response(*state, "ContainerStatus", DIALECT_V1ALPHA2, DIALECT_V1, "{'status': {'imageRef': 'b@" DIGEST "'}}",
                             "{'status': {'imageRef': 'b@" DIGEST "'}}");
}

/* Image garbage collection of old kubelets compares a list's image_ref with Image.id; statuses have the digest for people. */
TEST(lists_say_the_id_to_older_callers_statuses_the_reference)
{
    for (int to = 0; to < DIALECT_V1; to++) {
        exchange_expect_response(*state, "ListContainers", DIALECT_V1, (enum dialect)to,
                                 "{'containers': [{'imageRef': 'b@" DIGEST "', 'imageId': '" DIGEST "'}, {'imageRef': 'kept'}]}",
                                 "{'containers': [{'imageRef': '" DIGEST "'}, {'imageRef': 'kept'}]}");
        exchange_expect_response(*state, "ContainerStatus", DIALECT_V1, (enum dialect)to,
                                 "{'status': {'imageRef': 'b@" DIGEST "', 'imageId': '" DIGEST "'}}",
                                 "{'status': {'imageRef': 'b@" DIGEST "'}}");
    }
    static const char same[] = "{'containers': [{'imageRef': 'b@" DIGEST "', 'imageId': 'other'}]}";
    exchange_expect_response(*state, "ListContainers", DIALECT_V1, DIALECT_V1, same, same);
}

/* ---- namespaces in statuses ---- */

#define NAMESPACES(options) "{'status': {'linux': {'namespaces': {'options': " options "}}}}"

TEST(namespaces_of_statuses_go_up_and_down)
{
    static const struct {
        const char *old, *new;
    } rows[] = {
        {NAMESPACES("{}"), NAMESPACES("{'pid': 'CONTAINER'}")},
        {NAMESPACES("{'hostNetwork': true}"), NAMESPACES("{'network': 'NODE', 'pid': 'CONTAINER'}")},
        {NAMESPACES("{'hostPid': true}"), NAMESPACES("{'pid': 'NODE'}")},
        {NAMESPACES("{'hostIpc': true}"), NAMESPACES("{'pid': 'CONTAINER', 'ipc': 'NODE'}")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int newer = DIALECT_V1_12; newer < DIALECT_COUNT; newer++) {
            exchange_expect_response(*state, "PodSandboxStatus", DIALECT_V1_9, (enum dialect)newer, rows[i].old, rows[i].new);
            exchange_expect_response(*state, "PodSandboxStatus", (enum dialect)newer, DIALECT_V1_9, rows[i].new, rows[i].old);
        }
    }
    /* What v1_9 cannot say blinds nobody. */
    exchange_expect_response(*state, "PodSandboxStatus", DIALECT_V1, DIALECT_V1_9,
                             NAMESPACES("{'ipc': 'NODE', 'usernsOptions': {}}"), NAMESPACES("{'hostIpc': true}"));
    exchange_expect_response(*state, "PodSandboxStatus", DIALECT_V1, DIALECT_V1_9,
                             NAMESPACES("{'pid': 'TARGET', 'targetId': 'c'}"), NAMESPACES("{}"));
}

/* ---- Version ---- */

TEST(a_version_is_always_complete)
{
    static const char *const api[DIALECT_COUNT] = {
        [DIALECT_V1_9] = "v1alpha1", [DIALECT_V1_12] = "v1alpha2", [DIALECT_V1ALPHA2] = "v1alpha2", [DIALECT_V1] = "v1"};
    for (int from = 0; from < DIALECT_COUNT; from++) {
        for (int to = 0; to < DIALECT_COUNT; to++) {
            char expected[256];
            bool one_package = strcmp(dialects[from].package, dialects[to].package) == 0;
            snprintf(expected, sizeof expected,
                     "{'version': '0.1.0', 'runtimeName': 'x', 'runtimeVersion': '1', 'runtimeApiVersion': '%s'}",
                     one_package ? "0.0.0" : api[to]);
            exchange_expect_response(*state, "Version", (enum dialect)from, (enum dialect)to,
                                     "{'version': '7', 'runtimeName': 'x', 'runtimeVersion': '1', 'runtimeApiVersion': '0.0.0'}",
                                     expected);
            snprintf(expected, sizeof expected,
                     "{'version': '0.1.0', 'runtimeName': 'unknown', 'runtimeVersion': 'unknown', 'runtimeApiVersion': '%s'}",
                     api[to]);
            exchange_expect_response(*state, "Version", (enum dialect)from, (enum dialect)to, "{}", expected);
        }
    }
}

/* Kubelets before 1.24 compare the API version of a runtime called docker with versions of Docker's API. */
TEST(docker_says_the_version_of_its_own_api)
{
    static const struct {
        const char *engine, *said, *told;
    } rows[] = {
        {"20.10.24+dfsg1", "v1", "1.38.0"},
        {"18.06.0-ce", "v1", "1.38.0"},
        {"18.05.0-ce", "v1", "1.26.0"},
        {"18.1", "", "1.26.0"},
        {"17.12", "v1", "1.26.0"},
        {"1.13.1", "v1alpha2", "1.26.0"},
        {"unknown", "v1", "1.26.0"},
        {"20.10.24", "1.41.0", "1.41.0"},
        {"99999999999999999999.1", "v1", "1.38.0"},
        {"18.99999999999999999999", "v1", "1.38.0"},
        {"19", "v1", "1.38.0"},
        {"18", "v1", "1.26.0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int from = 0; from < DIALECT_COUNT; from++) {
            for (int to = 0; to < DIALECT_COUNT; to++) {
                char said[256];
                char told[256];
                snprintf(said, sizeof said,
                         "{'version': '0.1.0', 'runtimeName': 'docker', 'runtimeVersion': '%s', 'runtimeApiVersion': '%s'}",
                         rows[i].engine, rows[i].said);
                snprintf(told, sizeof told,
                         "{'version': '0.1.0', 'runtimeName': 'docker', 'runtimeVersion': '%s', 'runtimeApiVersion': '%s'}",
                         rows[i].engine, rows[i].told);
                exchange_expect_response(*state, "Version", (enum dialect)from, (enum dialect)to, said, told);
            }
        }
    }
}

TEST(the_last_of_several_versions_counts)
{
    struct bytes out;
    struct bytes twice = BYTES(0x12, 1, 'a', 0x12, 1, 'b', 0x1A, 1, '1', 0x22, 2, 'v', '1');
    assert_true(exchange_response(*state, "Version", DIALECT_V1, DIALECT_V1, twice, &out));
    exchange_expect_message(method_by_name("Version")->in[DIALECT_V1].response, out,
                            "{'version': '0.1.0', 'runtimeName': 'b', 'runtimeVersion': '1', 'runtimeApiVersion': 'v1'}");
}

/* ---- streaming URLs ---- */

/* Kubelets from 1.36 on take all but "http" for TLS. */
TEST(a_stream_url_without_a_scheme_gets_one)
{
    static const char *const rpcs[] = {"Exec", "Attach", "PortForward"};
    static const struct {
        const char *said, *told;
    } rows[] = {
        {"{'url': '//[::]:4321/cri/exec/t'}", "{'url': 'http://[::]:4321/cri/exec/t'}"},
        {"{'url': '//127.0.0.1:1/a?b=//c'}", "{'url': 'http://127.0.0.1:1/a?b=//c'}"},
        {"{'url': 'http://127.0.0.1:1/a'}", "{'url': 'http://127.0.0.1:1/a'}"},
        {"{'url': 'https://127.0.0.1:1/a'}", "{'url': 'https://127.0.0.1:1/a'}"},
        {"{'url': '/cri/exec/t'}", "{'url': '/cri/exec/t'}"},
        {"{'url': 'host:1/a'}", "{'url': 'host:1/a'}"},
        {"{}", "{}"},
    };
    for (size_t i = 0; i < 3 * sizeof rows / sizeof *rows; i++) {
        for (int pair = 0; pair < DIALECT_COUNT * DIALECT_COUNT; pair++) {
            exchange_expect_response(*state, rpcs[i % 3], (enum dialect)(pair / DIALECT_COUNT),
                                     (enum dialect)(pair % DIALECT_COUNT), rows[i / 3].said, rows[i / 3].told);
        }
    }
}
