/* Bodies of requests to Docker's API: facts out of them, and what plugins change put back. */
#include "tests/cmocka.h"
#include "tests/unit/translate/docker/docker_fixture.h"

#define SANDBOX_LABELS                                                                                                           \
    "'Labels': {'app': 'web', 'annotation.team': 'a', 'io.kubernetes.docker.type': 'podsandbox', "                               \
    "'io.kubernetes.container.name': 'POD', 'io.kubernetes.pod.name': 'web'}"
#define CONTAINER_LABELS                                                                                                         \
    "'Labels': {'io.kubernetes.docker.type': 'container', 'io.kubernetes.sandbox.id': 'abc', 'annotation.hash': '1', "           \
    "'io.kubernetes.container.logpath': '/x', 'io.kubernetes.pod.uid': '123e4567-e89b'}"
#define CONTAINER_WITH(rest) "{" CONTAINER_LABELS ", " rest "}"
#define SETTINGS(settings) CONTAINER_WITH("'HostConfig': {" settings "}")

static const struct docker_answer nothing;

/* ---- facts ---- */

EACH_TEST(exchange_begin, exchange_end)

TEST(a_sandbox_is_a_pod)
{
    struct docker_container pod = docker_create(*state, DOCKER_SANDBOX_NAME,
                                                "{'Image': 'pause', " SANDBOX_LABELS
                                                ", 'HostConfig': {'CgroupParent': '/kubepods/burstable/pod1', 'CpuShares': 2}}");
    assert_true(pod.kubernetes && pod.of_pod);
    assert_int_equal(pod.sandbox_id.len, 0);
    assert_int_equal(pod.facts.container.len, 0);
    assert_true(bytes_equal(pod.facts.handler, bytes_of_string("docker")));
    hook_expect_config(MODEL_POD, pod.facts.pod,
                       "{'metadata': {'name': 'web', 'uid': '123e4567-e89b', 'namespace': 'shop', 'attempt': 1}, "
                       "'labels': {'app': 'web', 'io.kubernetes.pod.name': 'web'}, 'annotations': {'team': 'a'}, "
                       "'linux': {'cgroupParent': '/kubepods/burstable/pod1'}}");
}

TEST(a_container)
{
    struct docker_container container = docker_create(
        *state, DOCKER_CONTAINER_NAME,
        CONTAINER_WITH("'Env': ['A=1', 'B=', 'C=x=y', 'ALONE', '=D', null], 'HostConfig': {'CpuPeriod': 100000, "
                       "'CpuQuota': -1, 'CpuShares': 512, 'Memory': 1048576, 'MemorySwap': -1, 'CpusetCpus': '0-3', "
                       "'CpusetMems': '0', 'OomScoreAdj': -998, 'CgroupParent': 'kubepods-pod1.slice'}"));
    assert_true(container.kubernetes && !container.of_pod);
    assert_true(bytes_equal(container.sandbox_id, bytes_of_string("abc")));
    hook_expect_config(
        MODEL_CONTAINER, container.facts.container,
        "{'metadata': {'name': 'nginx', 'attempt': 2}, 'annotations': {'hash': '1'}, 'envs': [{'key': 'A', "
        "'value': '1'}, {'key': 'B'}, {'key': 'C', 'value': 'x=y'}], 'linux': {'resources': {'cpuPeriod': '100000', "
        "'cpuQuota': '-1', 'cpuShares': '512', 'memoryLimitInBytes': '1048576', 'memorySwapLimitInBytes': '-1', "
        "'cpusetCpus': '0-3', 'cpusetMems': '0', 'oomScoreAdj': '-998'}}}");
    hook_expect_config(MODEL_POD, container.facts.pod,
                       "{'metadata': {'name': 'web', 'uid': '123e4567-e89b', 'namespace': 'shop'}, "
                       "'labels': {'io.kubernetes.pod.uid': '123e4567-e89b'}, "
                       "'linux': {'cgroupParent': '/kubepods.slice/kubepods-pod1.slice'}}");
}

TEST(names_and_labels_that_are_no_kubelets)
{
    static const char *const names[] = {
        "",
        "web",
        "k8s_POD_web_shop_uid",
        "k8s_POD_web_shop_uid_x",
        "k8s_POD_web_shop_uid_",
        "k8s_POD_web_shop_uid_4294967296",
        "k8s_POD_web_shop_uid_1_2_3",
        "K8S_POD_web_shop_uid_1",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(docker_create(*state, names[i], "{" SANDBOX_LABELS ", 'HostConfig': {}}").kubernetes);
        assert_false(docker_create(*state, names[i], "no JSON").kubernetes);
    }
    assert_false(docker_create(*state, DOCKER_CONTAINER_NAME, "{'Labels': null, 'HostConfig': {}}").kubernetes);
    assert_false(
        docker_create(*state, DOCKER_CONTAINER_NAME, "{'Labels': {'io.kubernetes.docker.type': 'container'}}").kubernetes);
    assert_true(docker_create(*state, "/" DOCKER_SANDBOX_NAME, "{" SANDBOX_LABELS ", 'HostConfig': {}}").of_pod);
    assert_true(docker_create(*state, DOCKER_SANDBOX_NAME "_0badcafe", "{" SANDBOX_LABELS ", 'HostConfig': {}}").of_pod);
}

TEST(what_docker_could_read_differently_is_refused)
{
    docker_expect_create_refused(*state, "", "not a JSON object");
    docker_expect_create_refused(*state, "[]", "not a JSON object");
    docker_expect_create_refused(*state, SETTINGS("") "{}", "not JSON");
    docker_expect_create_refused(*state, "{" CONTAINER_LABELS "}", "HostConfig");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': null"), "HostConfig");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': []"), "HostConfig");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, 'HostConfig': {}"), "the key HostConfig occurs twice");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, 'hostconfig': {}"), "the key HostConfig occurs twice");
    docker_expect_create_refused(*state, CONTAINER_WITH("'hostConfig': {}"), "in another form");
    docker_expect_create_refused(*state, CONTAINER_WITH("'Ho\xc5\xbftConfig': {}"), "in another form");
    docker_expect_create_refused(*state, CONTAINER_WITH("'Ho\\u017ftConfig': {}"), "in another form");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, '\\u0065nv': []"), "the key Env");
    docker_expect_create_refused(*state, SETTINGS("'Memory': 1, 'memory': 2"), "the key Memory occurs twice");
    docker_expect_create_refused(*state, SETTINGS("'MEMORY': 1"), "in another form");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, 'Memory': 4096"), "beside HostConfig");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, 'Cpuset': '0'"), "beside HostConfig");
    docker_expect_create_refused(*state, SETTINGS("'Memory': 1.5"), "Memory: not a whole number");
    docker_expect_create_refused(*state, SETTINGS("'Memory': 1e9"), "Memory: not a whole number");
    docker_expect_create_refused(*state, SETTINGS("'Memory': 9223372036854775808"), "Memory: not a whole number");
    docker_expect_create_refused(*state, SETTINGS("'Memory': '1'"), "Memory: not a whole number");
    docker_expect_create_refused(*state, SETTINGS("'CpusetCpus': 1"), "CpusetCpus: not a string");
    docker_expect_create_refused(*state, SETTINGS("'CgroupParent': '\\u0000'"), "CgroupParent: not a string");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, 'Env': {}"), "Env: not an array");
    docker_expect_create_refused(*state, CONTAINER_WITH("'HostConfig': {}, 'Env': [1]"), "Env: not a string");
    docker_expect_create_refused(*state, "{'Labels': [], 'HostConfig': {}}", "Labels: not an object");
    docker_expect_create_refused(*state, "{'Labels': {'a': 1}, 'HostConfig': {}}", "Labels: not a string");
    docker_expect_create_refused(*state, "{'Labels': {'a': '\\ud800'}, 'HostConfig': {}}", "Labels: not a string");
    docker_expect_create_refused(*state, "{'Labels': {'a': 'b'", "not JSON");
}

TEST(escapes_and_repeated_labels_are_read_as_docker_does)
{
    struct docker_container container =
        docker_create(*state, DOCKER_CONTAINER_NAME,
                      "{'Labels': {'io.kubernetes.sandbox.id': 'first', 'io.kubernetes.sandbox.\\u0069d': 'la\\u0073t'}, "
                      "'Host\\u0043onfig': {'Memory': 0}, 'Memory': 0, 'Cpuset': null}");
    assert_true(bytes_equal(container.sandbox_id, bytes_of_string("last")));
}

/* ---- changes of sandboxes ---- */

#define SANDBOX(settings) " {'Image':'pause'," SANDBOX_LABELS ",'HostConfig':{" settings "}}\n"

TEST(nothing_changes_without_an_answer)
{
    static const char *const body = SANDBOX("'Memory':0,'Big':123456789012345678901234567890,'Float':1.50");
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, body, nothing, body);
    static const char *const other = CONTAINER_WITH("'Env':['A=1'],'HostConfig':{'CgroupParent':'/a'}");
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, other, nothing, other);
}

TEST(the_cgroup_parent_of_a_sandbox)
{
    struct docker_answer answer = {.pod = "{'linux': {'cgroupParent': '/best/effort'}}"};
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, SANDBOX("'CgroupParent':'/a'"), answer,
                          SANDBOX("'CgroupParent':'/best/effort'"));
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, SANDBOX("'CgroupParent':'','A':1"), answer,
                          SANDBOX("'CgroupParent':'/best/effort','A':1"));
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, SANDBOX("'A':1"), answer, SANDBOX("'CgroupParent':'/best/effort','A':1"));
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, SANDBOX(""), answer, SANDBOX("'CgroupParent':'/best/effort'"));
}

TEST(a_silent_answer_leaves_the_cgroup_parent)
{
    struct docker_answer answer = {.pod = "{'labels': {'app': 'web'}}"};
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, SANDBOX("'CgroupParent':'/a'"), answer, SANDBOX("'CgroupParent':'/a'"));
}

TEST(slices)
{
    struct docker_answer slice = {.pod = "{'linux': {'cgroupParent': '/kubepods.slice/kubepods-best.slice'}}"};
    docker_expect_created(*state, DOCKER_SANDBOX_NAME, SANDBOX("'CgroupParent':'kubepods-pod1.slice'"), slice,
                          SANDBOX("'CgroupParent':'kubepods-best.slice'"));
    struct docker_answer path = {.pod = "{'linux': {'cgroupParent': '/kubepods/best'}}"};
    docker_expect_created_refused(*state, DOCKER_SANDBOX_NAME, SANDBOX("'CgroupParent':'kubepods-pod1.slice'"), path,
                                  "is not the path of one of systemd's slices");
    struct docker_answer elsewhere = {.pod = "{'linux': {'cgroupParent': '/other.slice/kubepods-best.slice'}}"};
    docker_expect_created_refused(*state, DOCKER_SANDBOX_NAME, SANDBOX("'CgroupParent':'kubepods-pod1.slice'"), elsewhere,
                                  "is not the path of one of systemd's slices");
}

TEST(labels_and_annotations_of_a_sandbox)
{
    struct docker_answer answer = {.pod =
                                       "{'labels': {'app': 'x\\\"y', 'new': '/é'}, 'annotations': {'team': 'b', 'more': 'c'}}"};
    docker_expect_created(
        *state, DOCKER_SANDBOX_NAME, "{" SANDBOX_LABELS ", 'HostConfig': {}}", answer,
        "{'Labels': {'new':'/é','annotation.more':'c','app': 'x\\\"y', 'annotation.team': 'b', 'io.kubernetes.docker.type': "
        "'podsandbox', 'io.kubernetes.container.name': 'POD', 'io.kubernetes.pod.name': 'web'}, 'HostConfig': {}}");
    struct docker_answer bad = {.pod = "{'labels': {'annotation.x': '1'}}"};
    docker_expect_created_refused(*state, DOCKER_SANDBOX_NAME, SANDBOX(""), bad, "labels[annotation.x]");
}

/* ---- changes of containers ---- */

TEST(resources_of_a_container)
{
    struct docker_answer answer = {.container = "{'linux': {'resources': {'cpuPeriod': 50000, 'cpuQuota': 20000, 'cpuShares': 2, "
                                                "'memoryLimitInBytes': 8192, 'memorySwapLimitInBytes': 16384, 'oomScoreAdj': 7, "
                                                "'cpusetCpus': '1', 'cpusetMems': '0'}}}"};
    docker_expect_created(
        *state, DOCKER_CONTAINER_NAME, SETTINGS("'Memory':4096,'OomScoreAdj':0,'NanoCpus':0,'CpusetCpus':'0-1','X':-0.0e5"),
        answer,
        SETTINGS("'CpuPeriod':50000,'CpuQuota':20000,'CpuShares':2,'MemorySwap':16384,'CpusetMems':'0','Memory':"
                 "8192,'OomScoreAdj':7,'NanoCpus':0,'CpusetCpus':'1','X':-0.0e5"));
}

TEST(zero_is_not_said_and_an_empty_cpuset_is)
{
    struct docker_answer answer = {.container = "{'linux': {'resources': {'cpuShares': 3}}}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, SETTINGS("'OomScoreAdj':-998,'CpusetCpus':'0','CpuShares':2"), answer,
                          SETTINGS("'OomScoreAdj':-998,'CpusetCpus':'','CpuShares':3"));
    struct docker_answer cleared = {.container = "{'linux': {'resources': {'memoryLimitInBytes': -1, 'cpuQuota': -1}}}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, SETTINGS("'Memory':4096,'CpuQuota':1000"), cleared,
                          SETTINGS("'Memory':0,'CpuQuota':-1"));
}

TEST(what_docker_has_no_place_for)
{
    struct docker_answer answer = {.container = "{'linux': {'resources': {'unified': {'memory.high': '1'}}}}"};
    docker_expect_created_refused(*state, DOCKER_CONTAINER_NAME, SETTINGS(""), answer, "linux.resources.unified");
}

TEST(environment)
{
    struct docker_answer answer = {
        .container = "{'envs': [{'key': 'A', 'value': '2'}, {'key': 'C', 'value': 'c'}, {'key': 'NEW', 'value': '\\\"\\n'}]}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME,
                          CONTAINER_WITH("'Env':['HOME', 'A=1','B=b', '\\u0043=c' ],'HostConfig':{}"), answer,
                          CONTAINER_WITH("'Env':['HOME','A=2','\\u0043=c','NEW=\\\"\\n'],'HostConfig':{}"));
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, CONTAINER_WITH("'Env':null,'HostConfig':{}"), answer,
                          CONTAINER_WITH("'Env':['A=2','C=c','NEW=\\\"\\n'],'HostConfig':{}"));
    struct docker_answer same = {.container = "{'envs': [{'key': 'B', 'value': 'b'}, {'key': 'A', 'value': '1'}]}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, CONTAINER_WITH("'Env':[ 'A=1','B=b' ],'HostConfig':{}"), same,
                          CONTAINER_WITH("'Env':[ 'A=1','B=b' ],'HostConfig':{}"));
}

TEST(only_the_last_of_equal_variables_changes)
{
    struct docker_answer answer = {.container = "{'envs': [{'key': 'A', 'value': '3'}]}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, CONTAINER_WITH("'Env':['A=1','B=b','A=2'],'HostConfig':{}"), answer,
                          CONTAINER_WITH("'Env':['A=1','A=3'],'HostConfig':{}"));
    struct docker_answer without = {.container = "{'envs': [{'key': 'B', 'value': 'b'}]}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, CONTAINER_WITH("'Env':['A=1','B=b','A=2'],'HostConfig':{}"), without,
                          CONTAINER_WITH("'Env':['A=1','B=b'],'HostConfig':{}"));
}

TEST(annotations_of_a_container)
{
    struct docker_answer answer = {.container = "{'annotations': {'hash': '2', 'x': 'y'}}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, SETTINGS("'A':[{}]"), answer,
                          "{'Labels': {'annotation.x':'y','io.kubernetes.docker.type': 'container', 'io.kubernetes.sandbox.id': "
                          "'abc', 'annotation.hash': '2', 'io.kubernetes.container.logpath': '/x', 'io.kubernetes.pod.uid': "
                          "'123e4567-e89b'}, 'HostConfig': {'A':[{}]}}");
}

TEST(the_cgroup_parent_of_a_container)
{
    struct docker_answer answer = {.pod = "{'linux': {'cgroupParent': '/b'}}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, SETTINGS("'CgroupParent':'/a'"), answer,
                          SETTINGS("'CgroupParent':'/b'"));
    struct docker_answer labels = {.pod = "{'labels': {'x': 'y'}}"};
    docker_expect_created(*state, DOCKER_CONTAINER_NAME, SETTINGS("'CgroupParent':'/a'"), labels,
                          SETTINGS("'CgroupParent':'/a'"));
}

/* ---- updates ---- */

TEST(updates)
{
    static const char *const facts = "{'linux': {'resources': {'cpuShares': 100, 'memoryLimitInBytes': 8192, 'oomScoreAdj': 5}}}";
    docker_expect_updated(*state, facts, "{'CpuShares':200,'Unknown':[1.0]}",
                          "{'linux': {'resources': {'cpuShares': 200, 'memoryLimitInBytes': 8192, 'oomScoreAdj': 5}}}",
                          "{'CpuShares':200,'Unknown':[1.0]}");
    docker_expect_updated(*state, facts, "{'CpuShares':200}", "{'linux': {'resources': {'cpuShares': 300, 'cpuQuota': 5000}}}",
                          "{'CpuQuota':5000,'CpuShares':300}");
    docker_expect_updated(*state, facts, "{}", "{'linux': {'resources': {'memoryLimitInBytes': 16384}}}", "{'Memory':16384}");
    docker_expect_updated(*state, facts, "{'Memory':12288}", "{'linux': {'resources': {'memoryLimitInBytes': -1}}}",
                          "{'Memory':0}");
}

TEST(updates_that_docker_cannot_make)
{
    struct exchange *exchange = *state;
    struct bytes body = docker_json(exchange, "{}"), changed;
    struct error error = {0};
    struct bytes before = hook_config(exchange, MODEL_CONTAINER, "{}");
    struct bytes after = hook_config(exchange, MODEL_CONTAINER, "{'linux': {'resources': {'oomScoreAdj': 1}}}");
    assert_false(docker_update_write(body, before, after, exchange->arena, &changed, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "linux.resources.oom_score_adj"));
}

TEST(updates_that_are_refused)
{
    struct exchange *exchange = *state;
    static const char *const bodies[] = {"", "[]", "{'Memory': 1, 'memory': 2}", "{'cpushares': 1}", "{'Memory': '1'}", "{}{}"};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct bytes resources;
        struct error error = {0};
        assert_false(docker_update_read(docker_json(exchange, bodies[i]), exchange->arena, &resources, &error));
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    }
}
