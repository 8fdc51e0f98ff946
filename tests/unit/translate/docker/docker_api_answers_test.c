/* Answers of Docker's API. */
#include <stdio.h>

#include "tests/cmocka.h"
#include "tests/unit/translate/docker/docker_fixture.h"
#include "translate/docker/answers.h"

#define CREATED "{'Id': 'abc123', 'Warnings': []}"

EACH_TEST(exchange_begin, exchange_end)

TEST(the_id_of_what_was_made)
{
    struct exchange *exchange = *state;
    static const char *const bad[] = {"", "{}", "[]", "{'Id': ''}", "{'Id': 'a/b'}", "{'Id': 5}", "{'Id': 'a'"};
    struct bytes id;
    struct error error = {0};
    assert_true(docker_created_read(docker_json(exchange, CREATED), exchange->arena, &id, &error));
    assert_true(bytes_equal(id, bytes_of_string("abc123")));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(docker_created_read(docker_json(exchange, bad[i]), exchange->arena, &id, &error));
        assert_int_equal(error.code, STATUS_INTERNAL);
    }
}

static struct docker_container inspect(struct exchange *exchange, const char *answer)
{
    struct docker_container container;
    struct error error = {0};
    if (!docker_inspection_read(docker_json(exchange, answer), exchange->arena, &container, &error)) {
        fail_msg("%s: %s", answer, error.message);
    }
    return container;
}

TEST(a_sandbox)
{
    struct docker_container pod =
        inspect(*state, "{'Id': 'f00', 'Name': '/" DOCKER_SANDBOX_NAME "', 'State': {'Status': 'running', 'Running': true}, "
                        "'Config': {'Labels': {'io.kubernetes.docker.type': 'podsandbox', 'a': 'b', 'annotation.c': 'd'}, "
                        "'Env': ['PATH=/bin']}, 'HostConfig': {'CgroupParent': 'kubepods-pod1.slice', 'Memory': 0}}");
    assert_true(pod.kubernetes && pod.of_pod && pod.running);
    assert_true(bytes_equal(pod.id, bytes_of_string("f00")));
    hook_expect_config(MODEL_POD, pod.facts.pod,
                       "{'metadata': {'name': 'web', 'uid': '123e4567-e89b', 'namespace': 'shop', 'attempt': 1}, "
                       "'labels': {'a': 'b'}, 'annotations': {'c': 'd'}, "
                       "'linux': {'cgroupParent': '/kubepods.slice/kubepods-pod1.slice'}}");
}

TEST(a_container)
{
    struct docker_container container =
        inspect(*state, "{'Id': 'f01', 'Name': '/" DOCKER_CONTAINER_NAME "', 'State': {'Running': false}, "
                        "'Config': {'Labels': {'io.kubernetes.docker.type': 'container', 'io.kubernetes.sandbox.id': 'f00'}, "
                        "'Env': ['PATH=/bin']}, 'HostConfig': {'CpuShares': 5}}");
    assert_true(container.kubernetes && !container.of_pod && !container.running);
    assert_true(bytes_equal(container.sandbox_id, bytes_of_string("f00")));
    hook_expect_config(MODEL_CONTAINER, container.facts.container,
                       "{'metadata': {'name': 'nginx', 'attempt': 2}, 'envs': [{'key': 'PATH', 'value': '/bin'}], "
                       "'linux': {'resources': {'cpuShares': '5'}}}");
}

TEST(containers_of_others)
{
    assert_false(inspect(*state, "{'Id': 'f02', 'Name': '/web', 'Config': {'Labels': {}}, 'HostConfig': {}}").kubernetes);
    assert_false(inspect(*state, "{'Id': 'f02', 'Name': '/" DOCKER_SANDBOX_NAME "', 'Config': {}, 'HostConfig': {}}").kubernetes);
    assert_false(inspect(*state, "{'Id': 'f02'}").kubernetes);
}

TEST(answers_that_are_none)
{
    struct exchange *exchange = *state;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{'Id': '../x'}",
        "{'Id': 'f00', 'Name': '/" DOCKER_SANDBOX_NAME "', 'Config': {'Labels': {'io.kubernetes.docker.type': 'podsandbox'}}}",
        "{'Id': 'f00', 'Name': '/" DOCKER_SANDBOX_NAME "', 'Config': {'Labels': {'io.kubernetes.docker.type': 5}}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct docker_container container;
        struct error error = {0};
        assert_false(docker_inspection_read(docker_json(exchange, bad[i]), exchange->arena, &container, &error));
        assert_int_equal(error.code, STATUS_INTERNAL);
    }
}

static void append_id(void *state, struct bytes id)
{
    char *ids = state;
    size_t len = strlen(ids);
    snprintf(ids + len, 64 - len, "%.*s ", BYTES_SHOWN(id, 16));
}

TEST(lists)
{
    struct exchange *exchange = *state;
    static const char *const bad[] = {"{}", "[{}]", "[{'Id': 'a'}", "[1]"};
    char ids[64] = "";
    struct error error = {0};
    assert_true(docker_list_read(docker_json(exchange, "[{'Id': 'a', 'Names': []}, {'Id': 'b'}]"), exchange->arena, append_id,
                                 ids, &error));
    assert_string_equal(ids, "a b ");
    assert_true(docker_list_read(docker_json(exchange, "[]\n"), exchange->arena, append_id, ids, &error));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(docker_list_read(docker_json(exchange, bad[i]), exchange->arena, append_id, ids, &error));
    }
}

TEST(messages)
{
    struct exchange *exchange = *state;
    assert_true(bytes_equal(docker_message_read(docker_json(exchange, "{'message': 'No such container: x'}"), exchange->arena),
                            bytes_of_string("No such container: x")));
    assert_int_equal(docker_message_read(docker_json(exchange, "page not found"), exchange->arena).len, 0);
}
