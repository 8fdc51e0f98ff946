/* Composed answers, without a runtime: what is asked, and what becomes of the answers, also of hostile ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/compose/compose_fixture.h"
#include "translate/compose/compose.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"

/* ---- the verbose status ---- */

/* A StatusResponse whose `config` is that text. */
static struct bytes status_with(struct exchange *exchange, struct bytes config)
{
    const struct method *status = method_by_name("Status");
    return response_info_entry(status, DIALECT_MODEL, bytes_of_string("config"), config, exchange->arena);
}

static struct trial runtime_config(struct exchange *exchange, struct bytes *status)
{
    return (struct trial){.exchange = exchange,
                          .method = "RuntimeConfig",
                          .occasion = COMPOSE_LACKING,
                          .caller = DIALECT_MODEL,
                          .script = {{.question = "Status", .bytes = status}}};
}

#define NOT_TOLD "runtime main does not report its cgroup driver; set cgroup_driver in the runtime map"
#define RUNTIMES(name, runtimes) "{\"containerd\":{\"defaultRuntimeName\":" name ",\"runtimes\":" runtimes "}}"

EACH_TEST(trial_begin, trial_end)

TEST(the_cgroup_driver_is_an_option_of_the_default_runtime)
{
    static const struct {
        const char *config;
        enum cgroup_driver driver;
    } rows[] = {
        {RUNTIMES("\"a\"", "{\"a\":{\"options\":{\"SystemdCgroup\":true}},\"b\":{\"options\":{\"SystemdCgroup\":false}}}"),
         CGROUP_DRIVER_SYSTEMD},
        {RUNTIMES("\"b\"", "{\"a\":{\"options\":{\"SystemdCgroup\":true}},\"b\":{\"options\":{\"SystemdCgroup\":false}}}"),
         CGROUP_DRIVER_CGROUPFS},
        {RUNTIMES("\"c\"", "{\"a\":{\"options\":{\"SystemdCgroup\":true}}}"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("\"a\"", "{\"a\":{\"options\":{\"systemdCgroup\":true}}}"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("\"a\"", "{\"a\":{\"options\":{\"SystemdCgroup\":\"true\"}}}"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("\"a\"", "{\"a\":{\"options\":{\"SystemdCgroup\":1}}}"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("\"a\"", "{\"a\":{\"options\":null}}"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("\"a\"", "{\"a\":[true]}"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("\"a\"", "[]"), CGROUP_DRIVER_NOT_SAID},
        {RUNTIMES("7", "{\"7\":{\"options\":{\"SystemdCgroup\":true}}}"), CGROUP_DRIVER_NOT_SAID},
        {"{\"systemdCgroup\":true}", CGROUP_DRIVER_NOT_SAID},
        {"{\"containerd\":[]}", CGROUP_DRIVER_NOT_SAID},
        {"[]", CGROUP_DRIVER_NOT_SAID},
        {"null", CGROUP_DRIVER_NOT_SAID},
        {"", CGROUP_DRIVER_NOT_SAID},
        {"{\"containerd\"", CGROUP_DRIVER_NOT_SAID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes status = status_with(*state, bytes_of_string(rows[i].config));
        struct trial trial = runtime_config(*state, &status);
        compose_memory_clear(&trial_memory);
        if (rows[i].driver == CGROUP_DRIVER_NOT_SAID) {
            trial_expect_failure(&trial, STATUS_UNIMPLEMENTED, NOT_TOLD);
        } else {
            trial_expect_answer(&trial, rows[i].driver == CGROUP_DRIVER_SYSTEMD ? "{'linux': {}}"
                                                                                : "{'linux': {'cgroupDriver': 'CGROUPFS'}}");
        }
        assert_int_equal(trial.asked, 1);
    }
}

TEST(the_operators_word_comes_first)
{
    struct trial trial = runtime_config(*state, NULL);
    trial.settings.cgroup_driver = CGROUP_DRIVER_CGROUPFS;
    trial_expect_answer(&trial, "{'linux': {'cgroupDriver': 'CGROUPFS'}}");
    trial.settings.cgroup_driver = CGROUP_DRIVER_SYSTEMD;
    trial_expect_answer(&trial, "{'linux': {}}");
    assert_int_equal(trial.asked, 0);
}

TEST(a_status_is_kept_for_some_minutes)
{
    struct bytes status =
        status_with(*state, bytes_of_string(RUNTIMES("\"a\"", "{\"a\":{\"options\":{\"SystemdCgroup\":true}}}")));
    struct trial trial = runtime_config(*state, &status);
    trial.now = 1000;
    trial_expect_answer(&trial, "{'linux': {}}");
    trial.now = 300999;
    trial_expect_answer(&trial, "{'linux': {}}");
    assert_int_equal(trial.asked, 0);
    trial.now = 301000;
    trial_expect_answer(&trial, "{'linux': {}}");
    assert_int_equal(trial.asked, 1);
}

TEST(a_status_that_is_no_message_is_told)
{
    struct bytes status = BYTES(0xff, 0xff);
    struct trial trial = runtime_config(*state, &status);
    trial_expect_failure(&trial, STATUS_INTERNAL, "an answer of runtime main is not a valid StatusResponse");
    assert_false(trial_memory.status_known);
}

/* ---- hostile configurations ---- */

static uint64_t random_state;

static uint64_t random_number(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* Whatever a runtime says, the answer is one of three; and what is not the whole, sound JSON says nothing at all. */
static void check_config(struct exchange *exchange, const char *text, size_t len)
{
    struct bytes status = status_with(exchange, bytes_of(text, len));
    struct trial trial = runtime_config(exchange, &status);
    compose_memory_clear(&trial_memory);
    bool told = trial_run(&trial);
    assert_true(told || trial.error.code == STATUS_UNIMPLEMENTED || trial.error.code == STATUS_INTERNAL);
    struct json_object *parsed = json_tokener_parse(text);
    assert_true(!told || json_object_is_type(parsed, json_type_object));
    json_object_put(parsed);
    assert_true(strlen(trial_memory.sandbox_image) < COMPOSE_IMAGE_NAME_SIZE);
}

TEST(hostile_configurations_tell_nothing)
{
    static const char sound[] = "{\"containerd\":{\"defaultRuntimeName\":\"runc\",\"runtimes\":{\"runc\":{\"runtimeType\":"
                                "\"io.containerd.runc.v2\",\"options\":{\"SystemdCgroup\":true}}}},\"sandboxImage\":"
                                "\"registry.k8s.io/pause:3.9\",\"systemdCgroup\":false}";
    for (unsigned i = 0; i < 3000; i++) {
        char text[sizeof sound];
        memcpy(text, sound, sizeof sound);
        size_t len = random_number(4) == 0 ? random_number(sizeof sound) : sizeof sound - 1;
        for (uint64_t changes = random_number(4); changes > 0 && len > 0; changes--) {
            static const char letters[] = "{}[]\",:\\truefalsn0-eE.\x80\xff\x01 ";
            text[random_number(len)] = letters[random_number(sizeof letters - 1)];
        }
        text[len] = '\0';
        check_config(*state, text, len);
    }
}

TEST(deep_and_long_configurations_tell_nothing)
{
    size_t size = 200000;
    char *text = malloc(size + 1);
    memset(text, '[', size);
    text[size] = '\0';
    check_config(*state, text, size);
    for (size_t i = 0; i + 5 <= size; i += 5) {
        memcpy(text + i, "{\"a\":", 5);
    }
    check_config(*state, text, size);
    memset(text, 'x', size);
    memcpy(text, "{\"sandboxImage\":\"", 17);
    memcpy(text + size - 2, "\"}", 2);
    check_config(*state, text, size);
    assert_string_equal(trial_memory.sandbox_image, "");
    free(text);
}

/* Sound JSON of that size; how much memory decoding takes depends on what it consists of. */
static void check_size(struct exchange *exchange, size_t size, const char *sandbox_image)
{
    static const char beginning[] = "{\"sandboxImage\":\"pause\",\"rest\":\"";
    char *text = malloc(size);
    memset(text, 'x', size);
    memcpy(text, beginning, sizeof beginning - 1);
    memcpy(text + size - 2, "\"}", 2);
    struct bytes status = status_with(exchange, bytes_of(text, size));
    struct trial trial = runtime_config(exchange, &status);
    compose_memory_clear(&trial_memory);
    trial_expect_failure(&trial, STATUS_UNIMPLEMENTED, NOT_TOLD);
    assert_true(trial_memory.status_known);
    assert_string_equal(trial_memory.sandbox_image, sandbox_image);
    free(text);
}

TEST(a_configuration_without_end_is_not_decoded)
{
    check_size(*state, 256 * 1024, "pause");
    check_size(*state, 256 * 1024 + 1, "");
}

TEST(a_name_with_a_nul_is_no_name)
{
    struct bytes status = status_with(*state, bytes_of_string("{\"sandboxImage\":\"a\\u0000b\"}"));
    struct trial trial = runtime_config(*state, &status);
    trial_expect_failure(&trial, STATUS_UNIMPLEMENTED, NOT_TOLD);
    assert_string_equal(trial_memory.sandbox_image, "");
}

/* ---- statistics of pods ---- */

TEST(containers_are_put_with_their_pods)
{
    struct trial trial = trial_of_pod_stats(
        *state,
        "{'items': [{'id': 'p2', 'metadata': {'name': 'two', 'uid': 'u2'}, 'state': 'SANDBOX_NOTREADY', 'createdAt': '5', "
        "'labels': {'a': 'b'}, 'annotations': {'c': 'd'}, 'runtimeHandler': 'h'}, {'id': 'p1'}]}",
        "{'containers': [{'id': 'c3', 'podSandboxId': 'p1'}, {'id': 'c1', 'podSandboxId': 'p1'}, "
        "{'id': 'c2', 'podSandboxId': 'p3'}, {'id': 'c4', 'podSandboxId': 'p1'}]}",
        "{'stats': [{'attributes': {'id': 'c1'}, 'cpu': {'timestamp': '1'}}, {'attributes': {'id': 'c2'}}, {'attributes': {'id': "
        "'c9'}}, {}, {'attributes': {'id': 'c3'}, 'memory': {'timestamp': '2'}}]}");
    trial_expect_answer(&trial,
                        "{'stats': [{'attributes': {'id': 'p2', 'metadata': {'name': 'two', 'uid': 'u2'}, 'labels': {'a': 'b'}, "
                        "'annotations': {'c': 'd'}}, 'linux': {}}, {'attributes': {'id': 'p1'}, 'linux': {'containers': "
                        "[{'attributes': {'id': 'c1'}, 'cpu': {'timestamp': '1'}}, {'attributes': {'id': 'c3'}, "
                        "'memory': {'timestamp': '2'}}]}}]}");
}

TEST(a_pod_that_is_listed_twice_has_its_containers_once)
{
    struct trial trial =
        trial_of_pod_stats(*state, "{'items': [{'id': 'p1'}, {'id': 'p2'}, {'id': 'p1'}]}",
                           "{'containers': [{'id': 'c1', 'podSandboxId': 'p1'}, {'id': 'c2', 'podSandboxId': 'p1'}, "
                           "{'id': 'c3', 'podSandboxId': 'p2'}]}",
                           "{'stats': [{'attributes': {'id': 'c1'}}, {'attributes': {'id': 'c3'}}, {'attributes': "
                           "{'id': 'c2'}}]}");
    trial_expect_answer(&trial,
                        "{'stats': [{'attributes': {'id': 'p1'}, 'linux': {'containers': [{'attributes': {'id': 'c1'}}, "
                        "{'attributes': {'id': 'c2'}}]}}, {'attributes': {'id': 'p2'}, 'linux': {'containers': [{'attributes': "
                        "{'id': 'c3'}}]}}, {'attributes': {'id': 'p1'}, 'linux': {}}]}");
}

TEST(no_pods_have_no_statistics)
{
    struct trial trial = trial_of_pod_stats(*state, "{}", "{}", "{}");
    trial_expect_answer(&trial, "{}");
}

TEST(a_filter_asks_for_ready_pods_and_what_it_says)
{
    struct trial trial = trial_of_pod_stats(*state, "{}", "{}", "{}");
    trial.request = "{'filter': {'id': 'p', 'labelSelector': {'a': 'b', 'c': 'd'}}}";
    const struct method *list = method_by_name("ListPodSandbox");
    assert_true(trial_run(&trial));
    /* The last question is the one of statistics; the first is put once more, alone. */
    trial.composing.asked = 0;
    assert_true(trial_step(&trial));
    exchange_expect_message(list->in[DIALECT_MODEL].request, trial.composing.asking,
                            "{'filter': {'id': 'p', 'state': {}, 'labelSelector': {'a': 'b', 'c': 'd'}}}");
}

TEST(malformed_lists_are_told)
{
    struct bytes malformed[] = {BYTES(0x0a), BYTES(0x0a, 0x05, 0x0a), BYTES(0x08, 0x01), BYTES(0x0a, 0x02, 0x08, 0x01),
                                BYTES(0x0a, 0x03, 0x0a, 0x7f, 0x01)};
    for (size_t position = 0; position < 3; position++) {
        for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
            struct trial trial =
                trial_of_pod_stats(*state, "{'items': [{'id': 'p'}]}", "{'containers': [{'id': 'c', 'podSandboxId': 'p'}]}",
                                   "{'stats': [{'attributes': {'id': 'c'}}]}");
            trial.script[position].bytes = &malformed[i];
            bool good = trial_run(&trial);
            assert_true(good || trial.error.code == STATUS_INTERNAL || trial.error.code == STATUS_INVALID_ARGUMENT);
            assert_true(i > 1 || !good);
        }
    }
}

/* Every container whose place and statistics are listed is there once, in its pod; in time that suits thousands. */
TEST(random_lists_lose_nothing)
{
    enum { PODS = 40, CONTAINERS = 3000 };
    struct exchange *exchange = *state;
    struct json_object *containers = json_object_new_array();
    struct json_object *stats = json_object_new_array();
    struct json_object *pods = json_object_new_array();
    unsigned expected[PODS] = {0};
    for (unsigned i = 0; i < PODS; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"id\":\"p%u\"}", i);
        json_object_array_add(pods, json_tokener_parse(text));
    }
    for (unsigned i = 0; i < CONTAINERS; i++) {
        char text[96];
        unsigned pod = (unsigned)random_number(PODS);
        bool listed = random_number(8) > 0, measured = random_number(8) > 0;
        snprintf(text, sizeof text, "{\"id\":\"c%u\",\"podSandboxId\":\"p%u\"}", i * 7919 % CONTAINERS, pod);
        if (listed) {
            json_object_array_add(containers, json_tokener_parse(text));
        }
        snprintf(text, sizeof text, "{\"attributes\":{\"id\":\"c%u\"}}", i * 7919 % CONTAINERS);
        if (measured) {
            json_object_array_add(stats, json_tokener_parse(text));
        }
        expected[pod] += listed && measured;
    }
    struct json_object *lists[3] = {json_object_new_object(), json_object_new_object(), json_object_new_object()};
    json_object_object_add(lists[0], "items", pods);
    json_object_object_add(lists[1], "containers", containers);
    json_object_object_add(lists[2], "stats", stats);
    struct trial trial = trial_of_pod_stats(exchange, json_object_to_json_string(lists[0]), json_object_to_json_string(lists[1]),
                                            json_object_to_json_string(lists[2]));
    assert_true(trial_run(&trial));
    struct error error;
    struct json_object *answer =
        json_from_message(trial.composing.method->in[DIALECT_MODEL].response, trial.composing.composed, JSON_EXACT, &error);
    struct json_object *items = json_object_object_get(answer, "stats");
    assert_int_equal(json_object_array_length(items), PODS);
    for (unsigned i = 0; i < PODS; i++) {
        struct json_object *platform = json_object_object_get(json_object_array_get_idx(items, i), "linux");
        struct json_object *found = json_object_object_get(platform, "containers");
        assert_int_equal(found ? json_object_array_length(found) : 0, expected[i]);
    }
    json_object_put(answer);
    for (size_t i = 0; i < 3; i++) {
        json_object_put(lists[i]);
    }
}

/* ---- the filesystem of images ---- */

static bool fake_usage(void *state, struct bytes directory, struct filesystem_usage *usage)
{
    *usage = (struct filesystem_usage){.taken_at = 9, .used_bytes = 1000, .inodes_used = 10};
    return bytes_equal(directory, bytes_of_string("/var/lib/images"));
}

TEST(the_filesystem_of_images_is_that_of_the_storage)
{
    const struct node node = {.usage_of_directory = fake_usage};
    struct trial trial = {.exchange = *state,
                          .method = "ImageFsInfo",
                          .occasion = COMPOSE_LACKING,
                          .caller = DIALECT_MODEL,
                          .settings.storage = "/var/lib/images",
                          .node = &node};
    trial_expect_answer(&trial,
                        "{'imageFilesystems': [{'timestamp': '9', 'fsId': {'mountpoint': '/var/lib/images'}, 'usedBytes': "
                        "{'value': '1000'}, 'inodesUsed': {'value': '10'}}],"
                        " 'containerFilesystems': [{'timestamp': '9', 'fsId': {'mountpoint': '/var/lib/images'}, 'usedBytes': "
                        "{'value': '1000'}, 'inodesUsed': {'value': '10'}}]}");
    trial.settings.storage = "/nowhere";
    trial_expect_failure(&trial, STATUS_FAILED_PRECONDITION,
                         "the storage of runtime main, /nowhere, is not a folder that crigate can read");
    trial.node = NULL;
    trial_expect_failure(&trial, STATUS_FAILED_PRECONDITION,
                         "the storage of runtime main, /nowhere, is not a folder that crigate can read");
    trial.settings.storage = NULL;
    trial_expect_nothing(&trial);
}

TEST(containers_of_crio_are_on_the_filesystem_of_images)
{
    struct trial trial = {.exchange = *state,
                          .method = "ImageFsInfo",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .reported_name = "cri-o",
                          .received =
                              "{'imageFilesystems': [{'timestamp': '9', 'fsId': {'mountpoint': '/a'}}, {'timestamp': '8'}]}"};
    trial_expect_answer(&trial,
                        "{'imageFilesystems': [{'timestamp': '9', 'fsId': {'mountpoint': '/a'}}, {'timestamp': '8'}],"
                        " 'containerFilesystems': [{'timestamp': '9', 'fsId': {'mountpoint': '/a'}}, {'timestamp': '8'}]}");
    trial.received = "{'imageFilesystems': [{'timestamp': '9'}], 'containerFilesystems': [{'timestamp': '7'}]}";
    trial_expect_nothing(&trial);
    trial.received = "{}";
    trial_expect_nothing(&trial);
    trial.received = "{'imageFilesystems': [{'timestamp': '9'}]}";
    trial.caller = DIALECT_V1ALPHA2;
    trial_expect_nothing(&trial);
    const struct method *method = method_by_name("ImageFsInfo");
    assert_non_null(composition_for(method, COMPOSE_ANSWERED, "cri-o"));
    assert_null(composition_for(method, COMPOSE_ANSWERED, "containerd"));
}

/* ---- pinned images ---- */

TEST(the_sandbox_image_is_found_by_each_of_its_names)
{
    static const struct {
        const char *said;
        const char *image;
        bool pinned;
    } rows[] = {
        {"registry.k8s.io/pause:3.9", "{'repoTags': ['x', 'registry.k8s.io/pause:3.9']}", true},
        {"registry.k8s.io/pause:3.9", "{'repoTags': ['registry.k8s.io/pause:3.8']}", false},
        {"registry.k8s.io/pause", "{'repoTags': ['registry.k8s.io/pause:latest']}", true},
        {"pause", "{'repoTags': ['docker.io/library/pause:latest']}", true},
        {"pause", "{'repoTags': ['pause:latest']}", true},
        {"docker.io/library/pause:1", "{'repoTags': ['pause:1']}", true},
        {"pause:1", "{'repoTags': ['docker.io/library/pause:1']}", true},
        {"me/pause", "{'repoTags': ['docker.io/me/pause:latest']}", true},
        {"localhost/pause:1", "{'repoTags': ['localhost/pause:1']}", true},
        {"localhost:5000/pause", "{'repoTags': ['localhost:5000/pause:latest']}", true},
        {DIGEST, "{'repoDigests': ['" DIGEST "']}", true},
        {ID, "{'id': '" ID "'}", true},
        {"", "{'id': '', 'repoTags': ['']}", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char config[512], received[512];
        snprintf(config, sizeof config, "{\"sandboxImage\":\"%s\"}", rows[i].said);
        snprintf(received, sizeof received, "{'image': %s}", rows[i].image);
        struct bytes status = status_with(*state, bytes_of_string(config));
        struct trial trial = {.exchange = *state,
                              .method = "ImageStatus",
                              .occasion = COMPOSE_ANSWERED,
                              .caller = DIALECT_MODEL,
                              .received = received,
                              .script = {{.question = "Status", .bytes = &status}}};
        compose_memory_clear(&trial_memory);
        assert_true(trial_run(&trial));
        assert_int_equal(trial.composing.outcome, rows[i].pinned ? COMPOSED_ANSWER : COMPOSED_NOTHING);
    }
}

static struct trial image_list(struct exchange *exchange, const char *received, struct bytes *status)
{
    return (struct trial){.exchange = exchange,
                          .method = "ListImages",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .received = received,
                          .script = {{.question = "Status", .bytes = status}}};
}

TEST(a_runtime_that_pins_its_sandbox_image_is_believed)
{
    struct bytes status = status_with(*state, bytes_of_string("{\"sandboxImage\":\"pause\"}"));
    /* Others that are pinned prove nothing: cri-dockerd pins what its operator tells it to. */
    struct trial trial = image_list(*state, "{'images': [{'id': 'b', 'pinned': true}, {'repoTags': ['pause:latest']}]}", &status);
    trial_expect_answer(&trial, "{'images': [{'id': 'b', 'pinned': true}, {'repoTags': ['pause:latest'], 'pinned': true}]}");
    trial.received = "{'images': [{'repoTags': ['pause:latest'], 'pinned': true}]}";
    trial_expect_nothing(&trial);
    assert_true(trial_memory.pins_sandbox_image);
    trial.received = "{'images': [{'repoTags': ['pause:latest']}]}";
    trial_expect_nothing(&trial);
    assert_int_equal(trial.asked, 0);
}

TEST(a_runtime_that_names_no_sandbox_image_is_asked_once)
{
    struct bytes status = status_with(*state, bytes_of_string("{}"));
    struct trial trial = image_list(*state, "{'images': [{'id': 'b'}]}", &status);
    trial_expect_nothing(&trial);
    assert_int_equal(trial.asked, 1);
    trial.now = 1000000;
    trial_expect_nothing(&trial);
    assert_int_equal(trial.asked, 0);
}

TEST(callers_without_the_field_cost_no_question)
{
    struct trial trial = {.exchange = *state,
                          .method = "ListImages",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_V1_9,
                          .received = "{'images': [{'id': 'a'}]}"};
    trial_expect_nothing(&trial);
    trial.method = "ContainerStatus";
    trial.received = "{'status': {'id': 'c', 'imageRef': '" DIGEST "'}}";
    trial_expect_nothing(&trial);
}

/* ---- image ids ---- */

static struct trial pull(struct exchange *exchange, const char *received, const char *image)
{
    return (struct trial){.exchange = exchange,
                          .method = "PullImage",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .received = received,
                          .script = {{.question = image ? "ImageStatus" : NULL, .answer = image}}};
}

TEST(a_pulled_image_is_named_by_its_id)
{
    struct trial trial = pull(*state, "{'imageRef': '" DIGEST "'}", "{'image': {'id': '" ID "'}}");
    trial_expect_answer(&trial, "{'imageRef': '" ID "'}");
    trial = pull(*state, "{'imageRef': 'a:tag'}", "{'image': {'id': '" HEX "'}}");
    trial_expect_answer(&trial, "{'imageRef': '" HEX "'}");
    trial = pull(*state, "{'imageRef': 'a:tag'}", "{'image': {'id': 'no id'}}");
    trial_expect_nothing(&trial);
    trial = pull(*state, "{'imageRef': 'a:tag'}", "{}");
    trial_expect_nothing(&trial);
    trial = pull(*state, "{'imageRef': '" ID "'}", NULL);
    trial_expect_nothing(&trial);
    trial = pull(*state, "{'imageRef': '" HEX "'}", NULL);
    trial_expect_nothing(&trial);
    trial = pull(*state, "{}", NULL);
    trial_expect_nothing(&trial);
}

TEST(a_status_gets_the_id_of_its_digest_once)
{
    struct trial trial = {.exchange = *state,
                          .method = "ContainerStatus",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .received = "{'status': {'id': 'c', 'imageRef': 'docker-pullable://" DIGEST "'}}",
                          .script = {{.question = "ImageStatus", .answer = "{'image': {'id': '" ID "'}}"}}};
    static const char filled[] = "{'status': {'id': 'c', 'imageRef': 'docker-pullable://" DIGEST "', 'imageId': '" ID "'}}";
    trial_expect_answer(&trial, filled);
    assert_int_equal(trial.asked, 1);
    trial_expect_answer(&trial, filled);
    assert_int_equal(trial.asked, 0);
    trial.received = "{'status': {'id': 'c', 'imageRef': '" ID "'}}";
    trial_expect_answer(&trial, "{'status': {'id': 'c', 'imageRef': '" ID "', 'imageId': '" ID "'}}");
    trial.received = "{'status': {'id': 'c'}}";
    trial_expect_nothing(&trial);
    /* One that says an id itself is asked no more. */
    trial.received = "{'status': {'id': 'c', 'imageId': 'x'}}";
    trial_expect_nothing(&trial);
    trial.received = "{'status': {'id': 'c', 'imageRef': 'b@sha256:" HEX "'}}";
    trial_expect_nothing(&trial);
}

TEST(a_list_is_resolved_by_the_list_of_images)
{
    struct trial trial = {.exchange = *state,
                          .method = "ListContainers",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .now = 1,
                          .received =
                              "{'containers': [{'id': '1', 'imageRef': '" DIGEST "'}, {'id': '2', 'imageRef': 'b@sha256:" HEX
                              "'}, {'id': '3', 'imageId': 'said'}, {'id': '4', 'imageRef': 'a:tag'}]}",
                          .script = {{.question = "ListImages",
                                      .answer = "{'images': [{'id': 'none', 'repoDigests': ['c@sha256:" HEX "']}, {'id': '" ID
                                                "', 'repoTags': ['a:tag'], 'repoDigests': ['" DIGEST "']}]}"}}};
    static const char filled[] =
        "{'containers': [{'id': '1', 'imageRef': '" DIGEST "', 'imageId': '" ID "'}, {'id': '2', 'imageRef': 'b@sha256:" HEX
        "'}, {'id': '3', 'imageId': 'said'}, {'id': '4', 'imageRef': 'a:tag'}]}";
    trial_expect_answer(&trial, filled);
    assert_int_equal(trial.asked, 1);
    /* One digest stays open: it is looked for again, but not in every list. */
    trial_expect_answer(&trial, filled);
    assert_int_equal(trial.asked, 0);
    trial.now = 60001;
    trial_expect_answer(&trial, filled);
    assert_int_equal(trial.asked, 1);
}

TEST(lists_with_ids_are_looked_at_once)
{
    struct trial trial = {
        .exchange = *state, .method = "ListContainers", .occasion = COMPOSE_ANSWERED, .caller = DIALECT_MODEL, .received = "{}"};
    trial_expect_nothing(&trial);
    assert_false(trial_memory.lists_image_ids);
    trial.received = "{'containers': [{'id': '1', 'imageId': '" ID "'}, {'id': '3', 'imageId': 'said'}]}";
    trial_expect_nothing(&trial);
    assert_true(trial_memory.lists_image_ids);
}

/* As from a CRI-O whose only image was built on the node, until it runs one of a registry. */
TEST(lists_with_ids_as_references_are_looked_at_again)
{
    struct trial trial = {
        .exchange = *state,
        .method = "ListContainers",
        .occasion = COMPOSE_ANSWERED,
        .caller = DIALECT_MODEL,
        .now = 1000,
        .received = "{'containers': [{'id': '1', 'imageRef': '" ID "'}]}",
        .script = {{.question = "ListImages", .answer = "{'images': [{'id': '" ID "', 'repoDigests': ['" DIGEST "']}]}"}}};
    trial_expect_nothing(&trial);
    assert_false(trial_memory.lists_image_ids);
    trial.received = "{'containers': [{'id': '2', 'imageRef': '" DIGEST "'}]}";
    trial.now = 60999;
    trial_expect_nothing(&trial);
    assert_int_equal(trial.asked, 0);
    trial.now = 61000;
    trial_expect_answer(&trial, "{'containers': [{'id': '2', 'imageRef': '" DIGEST "', 'imageId': '" ID "'}]}");
}

TEST(digests_without_end_are_not_kept)
{
    char received[1200], expected[] = "{'imageRef': '" ID "'}";
    static const struct {
        int name;
        bool kept;
    } rows[] = {{512 - 72, true}, {513 - 72, false}, {1000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compose_memory_clear(&trial_memory);
        snprintf(received, sizeof received, "{'imageRef': '%0*d@sha256:" HEX "'}", rows[i].name, 0);
        struct trial trial = pull(*state, received, "{'image': {'id': '" ID "'}}");
        trial_expect_answer(&trial, expected);
        assert_int_equal(trial_memory.image_ids != NULL, rows[i].kept);
    }
}

TEST(the_memory_of_ids_is_bounded)
{
    for (unsigned i = 0; i < 5000; i++) {
        char received[256];
        snprintf(received, sizeof received, "{'imageRef': 'a%u@sha256:" HEX "'}", i);
        struct trial trial = pull(*state, received, "{'image': {'id': '" ID "'}}");
        trial_expect_answer(&trial, "{'imageRef': '" ID "'}");
    }
    assert_non_null(trial_memory.image_ids);
}

/* ---- codes ---- */

TEST(what_no_list_has_is_not_found)
{
    static const char *const of_pods[] = {"PodSandboxStatus", "StopPodSandbox", "RemovePodSandbox"};
    static const char *const of_containers[] = {"ContainerStatus", "StopContainer", "RemoveContainer"};
    for (size_t i = 0; i < 3; i++) {
        struct trial trial =
            trial_of_unknown(*state, of_pods[i], "{'podSandboxId': 'ab'}", "ListPodSandbox", "{'items': [{'id': 'b'}]}");
        trial_expect_failure(&trial, STATUS_NOT_FOUND, "runtime main has no pod ab");
        trial.script[0].answer = "{'items': [{'id': 'b'}, {'id': 'abc'}]}";
        trial_expect_nothing(&trial);
        trial = trial_of_unknown(*state, of_containers[i], "{'containerId': 'ab'}", "ListContainers", "{}");
        trial_expect_failure(&trial, STATUS_NOT_FOUND, "runtime main has no container ab");
        trial.script[0].answer = "{'containers': [{'id': 'ab', 'podSandboxId': 'p'}]}";
        trial_expect_nothing(&trial);
        struct bytes malformed = BYTES(0x0a, 0x7f);
        trial.script[0].bytes = &malformed;
        trial_expect_failure(&trial, STATUS_INTERNAL, "a list of runtime main cannot be read");
        trial.request = "{}";
        trial_expect_nothing(&trial);
    }
}

TEST(only_a_timeout_that_was_used_up_is_one)
{
    struct trial trial = trial_of_unknown(*state, "ExecSync", "{'containerId': 'c', 'timeout': '2'}", NULL, NULL);
    trial.elapsed = 1999;
    trial_expect_nothing(&trial);
    trial.elapsed = 2000;
    trial_expect_failure(&trial, STATUS_DEADLINE_EXCEEDED, "runtime main: the command ran longer than its timeout of 2 s");
    trial.request = "{'containerId': 'c'}";
    trial_expect_nothing(&trial);
    trial.request = "{'containerId': 'c', 'timeout': '-1'}";
    trial_expect_nothing(&trial);
    trial.request = "{'containerId': 'c', 'timeout': '9223372036854775807'}";
    trial_expect_nothing(&trial);
}

int main(void)
{
    random_state = (uint64_t)time(NULL) * 2 + 1;
    print_message("seed %llu\n", (unsigned long long)random_state);
    return tests_run();
}
