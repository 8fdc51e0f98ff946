/* What crigate composes for Docker alone: working sets without page cache, and what to do about logs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <json-c/linkhash.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/compose/compose_fixture.h"
#include "translate/walk/node.h"

/* ---- the working sets of Docker's containers ---- */

#define UID "0b1c-2d"

/* What a test's node has, and what was asked of it. */
static struct {
    const char *there;
    char asked[4096];
    size_t containers;
} cgroups;

/* The containers of that path have a working set of 7. */
static void fake_memory(void *state, struct container_memory *containers, size_t count)
{
    cgroups.asked[0] = '\0';
    cgroups.containers = count;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < containers[i].count; j++) {
            size_t used = strlen(cgroups.asked);
            snprintf(cgroups.asked + used, sizeof cgroups.asked - used, "%s\n", containers[i].cgroups[j]);
            if (cgroups.there && strcmp(containers[i].cgroups[j], cgroups.there) == 0) {
                containers[i].known = true;
                containers[i].working_set = 7;
            }
        }
    }
}

static const struct node docker_node = {.memory_of_containers = fake_memory};

static struct trial container_stats(struct exchange *exchange, const char *received)
{
    return (struct trial){.exchange = exchange,
                          .method = "ListContainerStats",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .received = received,
                          .node = &docker_node};
}

EACH_TEST(trial_begin, trial_end)

TEST(a_working_set_is_the_kernels)
{
    struct trial trial =
        container_stats(*state, "{'stats': [{'attributes': {'id': '" HEX "', 'labels': {'io.kubernetes.pod.uid': '" UID
                                "'}}, 'memory': {'timestamp': '3', 'workingSetBytes': {'value': '9'}}}, "
                                "{'attributes': {'id': '" OTHER_HEX "'}, 'cpu': {'timestamp': '4'}}, {}]}");
    static const char *const places[] = {
        "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0b1c_2d.slice/docker-" HEX ".scope",
        "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0b1c_2d.slice/docker-" HEX ".scope",
        "kubepods.slice/kubepods-pod0b1c_2d.slice/docker-" HEX ".scope",
        "kubepods/burstable/pod0b1c-2d/" HEX,
        "kubepods/besteffort/pod0b1c-2d/" HEX,
        "kubepods/pod0b1c-2d/" HEX,
        "system.slice/docker-" HEX ".scope",
        "docker/" HEX,
    };
    char all[2048] = "";
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s\n", places[i]);
        cgroups.there = places[i];
        trial_expect_answer(&trial, "{'stats': [{'attributes': {'id': '" HEX "', 'labels': {'io.kubernetes.pod.uid': '" UID
                                    "'}}, 'memory': {'timestamp': '3', 'workingSetBytes': {'value': '7'}}}, "
                                    "{'attributes': {'id': '" OTHER_HEX "'}, 'cpu': {'timestamp': '4'}}, {}]}");
    }
    assert_string_equal(cgroups.asked, all);
    cgroups.there = "elsewhere";
    trial_expect_nothing(&trial);
}

TEST(so_is_that_of_one_container_and_of_a_pods)
{
    cgroups.there = "docker/" HEX;
    struct trial one = container_stats(*state, "{'stats': {'attributes': {'id': '" HEX
                                               "'}, 'memory': {'workingSetBytes': {'value': '9'}, 'usageBytes': {'value': "
                                               "'9'}}}}");
    one.method = "ContainerStats";
    trial_expect_answer(&one,
                        "{'stats': {'attributes': {'id': '" HEX "'}, 'memory': {'workingSetBytes': {'value': '7'}, 'usageBytes': "
                        "{'value': '9'}}}}");
    one.received = "{}";
    trial_expect_nothing(&one);
    struct trial pods =
        trial_of_pod_stats(*state, "{'items': [{'id': 'p'}]}", "{'containers': [{'id': '" HEX "', 'podSandboxId': 'p'}]}",
                           "{'stats': [{'attributes': {'id': '" HEX "'}, 'memory': {'workingSetBytes': {'value': '9'}}}]}");
    pods.node = &docker_node;
    trial_expect_answer(&pods, "{'stats': [{'attributes': {'id': 'p'}, 'linux': {'containers': [{'attributes': {'id': '" HEX
                               "'}, 'memory': {'workingSetBytes': {'value': '7'}}}]}}]}");
    pods.reported_name = "containerd";
    trial_expect_answer(&pods, "{'stats': [{'attributes': {'id': 'p'}, 'linux': {'containers': [{'attributes': {'id': '" HEX
                               "'}, 'memory': {'workingSetBytes': {'value': '9'}}}]}}]}");
}

TEST(other_runtimes_count_for_themselves)
{
    static const char *const rows[] = {"ListContainerStats", "ContainerStats", "RunPodSandbox"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_non_null(composition_for(method_by_name(rows[i]), COMPOSE_ANSWERED, "docker"));
        assert_null(composition_for(method_by_name(rows[i]), COMPOSE_ANSWERED, "containerd"));
        assert_null(composition_for(method_by_name(rows[i]), COMPOSE_ANSWERED, ""));
    }
    assert_non_null(composition_for(method_by_name("ReopenContainerLog"), COMPOSE_UNKNOWN, "docker"));
    assert_null(composition_for(method_by_name("ReopenContainerLog"), COMPOSE_UNKNOWN, "cri-o"));
    assert_non_null(composition_for(method_by_name("ListPodSandboxStats"), COMPOSE_LACKING, "cri-o"));
}

static void run_pod(struct exchange *exchange, const char *uid, const char *parent)
{
    char request[2048];
    snprintf(request, sizeof request, "{'config': {'metadata': {'uid': '%s'}, 'linux': {'cgroupParent': '%s'}}}", uid, parent);
    struct trial trial = {.exchange = exchange,
                          .method = "RunPodSandbox",
                          .occasion = COMPOSE_ANSWERED,
                          .caller = DIALECT_MODEL,
                          .request = request,
                          .received = "{'podSandboxId': 'p'}"};
    trial_expect_nothing(&trial);
}

/* The first place that is looked at for a container of the pod. */
static void expect_place(struct exchange *exchange, const char *uid, const char *place)
{
    char received[1024];
    snprintf(received, sizeof received,
             "{'stats': [{'attributes': {'id': '" HEX "', 'labels': {'io.kubernetes.pod.uid': '%s'}}, 'memory': "
             "{'workingSetBytes': {'value': '9'}}}]}",
             uid);
    struct trial trial = container_stats(exchange, received);
    cgroups.there = NULL;
    trial_expect_nothing(&trial);
    cgroups.asked[strcspn(cgroups.asked, "\n")] = '\0';
    assert_string_equal(cgroups.asked, place);
}

#define USUAL "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podu.slice/docker-" HEX ".scope"

TEST(a_pods_cgroup_is_where_its_request_said)
{
    static const struct {
        const char *parent, *place;
    } rows[] = {
        {"/mine/podu", "mine/podu/" HEX},
        {"mine/podu/", "mine/podu/" HEX},
        {"/mine.slice", "mine.slice/docker-" HEX ".scope"},
        {"/a.slice/a-b.slice/a-b-c_d.slice", "a.slice/a-b.slice/a-b-c_d.slice/docker-" HEX ".scope"},
        {"a-b.slice", "a.slice/a-b.slice/docker-" HEX ".scope"},
        {"/-.slice", USUAL},
        {"/a--b.slice", USUAL},
        {"/a-.slice", USUAL},
        {"/.slice", USUAL},
        {"", USUAL},
        {"/", USUAL},
        {"/a/../b", USUAL},
        {"/..", USUAL},
        {"/./a", USUAL},
        {"/a//b", USUAL},
        {"/.a", USUAL},
        {"/a b", USUAL},
        {"/a\\nb", USUAL},
        {"/\u00e4", USUAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        compose_memory_clear(&trial_memory);
        run_pod(*state, "u", rows[i].parent);
        expect_place(*state, "u", rows[i].place);
    }
    compose_memory_clear(&trial_memory);
    run_pod(*state, "u", "/one");
    run_pod(*state, "u", "/one");
    expect_place(*state, "u", "one/" HEX);
    run_pod(*state, "u", "/two");
    expect_place(*state, "u", "two/" HEX);
    expect_place(*state, "v", "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podv.slice/docker-" HEX ".scope");
    char longest[600];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    run_pod(*state, "w", longest);
    expect_place(*state, "w", "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podw.slice/docker-" HEX ".scope");
}

TEST(the_memory_of_cgroups_is_bounded)
{
    enum { PODS = 5000 };
    for (unsigned i = 0; i < PODS; i++) {
        char uid[16];
        snprintf(uid, sizeof uid, "u%u", i);
        run_pod(*state, uid, "/mine");
    }
    assert_true(lh_table_length(trial_memory.cgroup_parents) <= 4096);
    expect_place(*state, "u4999", "mine/" HEX);
}

TEST(hostile_statistics_are_looked_up_nowhere)
{
    static const char *const ids[] = {
        "",
        "..",
        "0123456789abcdef",
        "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
        "../../6789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        HEX "0",
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char received[512];
        snprintf(received, sizeof received,
                 "{'stats': [{'attributes': {'id': '%s'}, 'memory': {'workingSetBytes': {'value': '9'}}}]}", ids[i]);
        struct trial trial = container_stats(*state, received);
        trial_expect_nothing(&trial);
        assert_string_equal(cgroups.asked, "");
    }
    static const char *const uids[] = {"../x", "a/b", ".", "a b",
                                       "0123456789012345678901234567890123456789012345678901234567890123456789"};
    for (size_t i = 0; i < sizeof uids / sizeof *uids; i++) {
        expect_place(*state, uids[i], "system.slice/docker-" HEX ".scope");
    }
}

TEST(lists_without_end_are_not_looked_up)
{
    struct json_object *list = json_object_new_object();
    struct json_object *items = json_object_new_array();
    json_object_object_add(list, "stats", items);
    cgroups.there = "docker/" HEX;
    for (unsigned i = 0; i < 1001; i++) {
        struct json_object *stats =
            json_tokener_parse("{\"attributes\": {\"id\": \"" HEX "\"}, \"memory\": {\"workingSetBytes\": {\"value\": \"9\"}}}");
        json_object_array_add(items, stats);
        if (i >= 999) {
            struct trial trial = container_stats(*state, json_object_to_json_string(list));
            cgroups.containers = 0;
            assert_true(trial_run(&trial));
            assert_int_equal(trial.composing.outcome, i == 999 ? COMPOSED_ANSWER : COMPOSED_NOTHING);
            assert_int_equal(cgroups.containers, i == 999 ? 1000 : 0);
        }
    }
    json_object_put(list);
}

/* ---- logs of Docker's containers ---- */

TEST(a_refused_rotation_says_what_to_set)
{
    struct trial trial = trial_of_unknown(*state, "ReopenContainerLog", "{'containerId': 'c'}", NULL, NULL);
    trial.caller = DIALECT_MODEL;
    trial.failure = "docker does not support reopening container log files";
    trial_expect_failure(
        &trial, STATUS_UNKNOWN,
        "runtime main: docker does not support reopening container log files: Docker itself rotates them: set max-size "
        "and max-file under log-opts in /etc/docker/daemon.json, for containers that are created after that; the "
        "kubelet's containerLogMaxSize and containerLogMaxFiles have no effect");
    trial.failure = "no such container";
    trial_expect_nothing(&trial);
    trial.failure = "";
    trial_expect_nothing(&trial);
    trial.failure = NULL;
    trial_expect_nothing(&trial);
}
