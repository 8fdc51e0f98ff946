/* The simulated plugin without a socket: bytes in, bytes out. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <grpc/grpc.h>

#include "sim/common/fields.h"
#include "sim/common/grpc_server.h"
#include "sim/hooks/answer.h"
#include "tests/cmocka.h"
#include "translate/json/json.h"

#define HOSTILE_REQUESTS 20000

#define CONTAINER_REQUEST                                                                                                        \
    "{\"podMeta\":{\"name\":\"p\"},\"containerResources\":{\"cpuQuota\":\"5\",\"unified\":{\"a\":\"b\"}},"                       \
    "\"containerEnvs\":{\"A\":\"1\",\"B\":\"\"},\"podCgroupParent\":\"/x\"}"
#define CONTAINER_ECHO                                                                                                           \
    "{\"containerResources\":{\"cpuQuota\":\"5\",\"unified\":{\"a\":\"b\"}},\"podCgroupParent\":\"/x\","                         \
    "\"containerEnvs\":{\"A\":\"1\",\"B\":\"\"}}"

/* The options of a command line that is right. */
static struct hook_options options_of(int more_count, const char *const *more)
{
    char *arguments[16] = {(char *)"hooksim", (char *)"--listen", (char *)"unix:///unused"};
    int count = 3;
    for (int i = 0; i < more_count; i++) {
        arguments[count++] = (char *)more[i];
    }
    struct hook_options options;
    optind = 0;
    assert_int_equal(hook_options_parse(count, arguments, &options), -1);
    return options;
}

static struct hook_options options_of_one(const char *option, const char *value)
{
    return options_of(value ? 2 : 1, (const char *const[]){option, value});
}

/* The request, in the arena. */
static struct bytes encode_request(const struct hook *hook, struct json_object *request, struct arena *arena)
{
    struct bytes bytes;
    struct error error = {0};
    if (!json_to_message(hook->request, request, false, arena, &bytes, &error)) {
        fail_msg("%s", error.message);
    }
    return bytes;
}

/* The answer to a request in JSON; the caller unrefs its message. */
static struct hook_answer ask(struct hook_options *options, const char *name, const char *request)
{
    const struct hook *hook = hook_by_name(options->schema, bytes_of_string(name));
    assert_non_null(hook);
    struct arena *arena = arena_new(1 << 20);
    struct json_object *json = json_tokener_parse(request);
    struct hook_answer answer;
    hook_answer_make(options, hook, encode_request(hook, json, arena), 0, &answer);
    json_object_put(json);
    arena_unref(arena);
    return answer;
}

static void assert_message(const struct schema_message *schema, const struct hook_answer *answer, const char *expected)
{
    struct error error = {0};
    assert_string_equal(answer->error.message, "");
    struct json_object *json = json_from_message(schema, sim_bytes_of_slice(&answer->message), JSON_EXACT, &error);
    assert_string_equal(error.message, "");
    assert_string_equal(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE), expected);
    json_object_put(json);
}

/* Asks for PreCreateContainer with these options, and compares the answer. */
static void assert_container_answer(int count, const char *const *more, const char *expected)
{
    struct hook_options options = options_of(count, more);
    struct hook_answer answer = ask(&options, "PreCreateContainer", CONTAINER_REQUEST);
    assert_message(hook_by_name(options.schema, bytes_of_string("PreCreateContainer"))->response, &answer, expected);
    grpc_slice_unref(answer.message);
    hook_options_clear(&options);
}

TEST(hooks_are_those_of_the_protocol)
{
    static const char *const names[] = {
        "PreRunPodSandbox",   "PostStopPodSandbox", "PreCreateContainer",          "PreStartContainer",
        "PostStartContainer", "PostStopContainer",  "PreUpdateContainerResources",
    };
    struct hook_schema *schema = hook_schema_new();
    assert_int_equal(hook_count(schema), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "/runtime.v1alpha1.RuntimeHookService/%sHook", names[i]);
        const struct hook *hook = hook_by_name(schema, bytes_of_string(names[i]));
        assert_non_null(hook);
        assert_ptr_equal(hook_by_path(schema, bytes_of_string(path)), hook);
    }
    assert_null(hook_by_name(schema, bytes_of_string("PreRemoveRunPodSandbox")));
    assert_null(hook_by_path(schema, bytes_of_string("PreRunPodSandbox")));
    hook_schema_free(schema);
}

/* Each field of each request, with maps, lists and messages in it. */
TEST(an_echo_has_every_field_of_the_answer)
{
    struct hook_options options = options_of(0, NULL);
    for (size_t i = 0; i < hook_count(options.schema); i++) {
        const struct hook *hook = hook_at(options.schema, i);
        struct arena *arena = arena_new(1 << 20);
        struct json_object *request = json_template(hook->request);
        struct hook_answer answer;
        hook_answer_make(&options, hook, encode_request(hook, request, arena), 0, &answer);
        struct error error = {0};
        struct json_object *response = json_from_message(hook->response, sim_bytes_of_slice(&answer.message), JSON_EXACT, &error);
        assert_non_null(response);
        for (size_t j = 0; j < hook->response->field_count; j++) {
            const struct schema_field *field = &hook->response->fields[j];
            assert_true(!field->message || field_child(response, field->json_name) != NULL);
            assert_non_null(schema_field_by_name(hook->request, field->name));
        }
        json_object_put(response);
        json_object_put(request);
        grpc_slice_unref(answer.message);
        arena_unref(arena);
    }
    hook_options_clear(&options);
}

TEST(changes_are_made_in_their_order)
{
    assert_container_answer(0, NULL, CONTAINER_ECHO);
    assert_container_answer(
        4, (const char *const[]){"--set", "*:container_envs[A]=9", "--remove", "PreCreateContainer:container_envs"},
        "{\"containerResources\":{\"cpuQuota\":\"5\",\"unified\":{\"a\":\"b\"}},\"podCgroupParent\":\"/x\"}");
    assert_container_answer(
        4, (const char *const[]){"--remove", "PreCreateContainer:container_envs", "--set", "*:container_envs[A]=9"},
        "{\"containerResources\":{\"cpuQuota\":\"5\",\"unified\":{\"a\":\"b\"}},\"podCgroupParent\":\"/x\","
        "\"containerEnvs\":{\"A\":\"9\"}}");
    assert_container_answer(
        4, (const char *const[]){"--empty", "--remove", "*:container_resources.unified[a]", "--set=*:labels[a]=b"}, "{}");
    assert_container_answer(2, (const char *const[]){"--set", "PreCreateContainerHook:container_envs={\"Z\":\"\"}"},
                            "{\"containerResources\":{\"cpuQuota\":\"5\",\"unified\":{\"a\":\"b\"}},\"podCgroupParent\":\"/x\","
                            "\"containerEnvs\":{\"Z\":\"\"}}");
}

TEST(each_field_is_there_twice)
{
    struct hook_options once = options_of(0, NULL), twice = options_of_one("--twice", "*");
    struct hook_answer one = ask(&once, "PreCreateContainer", CONTAINER_REQUEST);
    struct hook_answer two = ask(&twice, "PreCreateContainer", CONTAINER_REQUEST);
    size_t size = GRPC_SLICE_LENGTH(one.message);
    assert_int_equal(GRPC_SLICE_LENGTH(two.message), 2 * size);
    assert_memory_equal(GRPC_SLICE_START_PTR(two.message), GRPC_SLICE_START_PTR(one.message), size);
    assert_memory_equal(GRPC_SLICE_START_PTR(two.message) + size, GRPC_SLICE_START_PTR(one.message), size);
    grpc_slice_unref(one.message);
    grpc_slice_unref(two.message);
    hook_options_clear(&once);
    hook_options_clear(&twice);
}

TEST(another_message_is_that_of_the_other_hooks)
{
    struct hook_options options = options_of_one("--other", "*=1");
    struct hook_answer answer = ask(&options, "PreCreateContainer", CONTAINER_REQUEST);
    assert_message(hook_by_name(options.schema, bytes_of_string("PreRunPodSandbox"))->response, &answer,
                   "{\"labels\":{\"a\":\"b\"},\"annotations\":{\"c\":\"d\"},\"cgroupParent\":\"/e\",\"resources\":"
                   "{\"cpuPeriod\":\"100000\",\"cpusetCpus\":\"0\"}}");
    grpc_slice_unref(answer.message);
    answer = ask(&options, "PreCreateContainer", CONTAINER_REQUEST);
    assert_message(hook_by_name(options.schema, bytes_of_string("PreCreateContainer"))->response, &answer, CONTAINER_ECHO);
    grpc_slice_unref(answer.message);
    hook_options_clear(&options);
}

TEST(a_rule_for_one_hook_leaves_others_alone)
{
    struct hook_options options = options_of_one("--fail", "PreStartContainer=UNAVAILABLE:1");
    struct hook_answer answer = ask(&options, "PreCreateContainer", CONTAINER_REQUEST);
    assert_int_equal(answer.error.code, STATUS_OK);
    grpc_slice_unref(answer.message);
    answer = ask(&options, "PreStartContainer", CONTAINER_REQUEST);
    assert_int_equal(answer.error.code, STATUS_UNAVAILABLE);
    assert_string_equal(answer.error.message, "hooksim was told to fail PreStartContainer");
    grpc_slice_unref(answer.message);
    answer = ask(&options, "PreStartContainer", CONTAINER_REQUEST);
    assert_int_equal(answer.error.code, STATUS_OK);
    grpc_slice_unref(answer.message);
    hook_options_clear(&options);
}

/* A request with bytes changed, and cut somewhere: refused, or answered with a message. */
TEST(hostile_requests_are_refused_or_answered)
{
    struct hook_options options = options_of_one("--shuffle", NULL);
    const struct hook *hook = hook_by_name(options.schema, bytes_of_string("PreCreateContainer"));
    struct arena *arena = arena_new(1 << 20);
    struct json_object *json = json_template(hook->request);
    struct bytes request = encode_request(hook, json, arena);
    uint64_t random = 1;
    size_t refused = 0, answered = 0;
    for (unsigned i = 0; i < HOSTILE_REQUESTS; i++) {
        uint8_t *bytes = malloc(request.len); /* its own, so that sanitizers see reads beyond its end */
        memcpy(bytes, request.data, request.len);
        size_t len = request.len;
        for (unsigned changes = 0; changes <= i % 4; changes++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            bytes[(random >> 40) % request.len] = (uint8_t)(random >> 32);
            len = changes == 3 ? (random >> 20) % request.len : len;
        }
        struct hook_answer answer;
        hook_answer_make(&options, hook, bytes_of(bytes, len), i, &answer);
        if (answer.error.code == STATUS_OK) {
            struct error error = {0};
            struct json_object *read = json_from_message(hook->response, sim_bytes_of_slice(&answer.message), JSON_EXACT, &error);
            assert_non_null(read);
            json_object_put(read);
            answered++;
        } else {
            assert_int_equal(answer.error.code, STATUS_INTERNAL);
            refused++;
        }
        grpc_slice_unref(answer.message);
        free(bytes);
    }
    assert_true(refused > 100 && answered > 100);
    json_object_put(json);
    arena_unref(arena);
    hook_options_clear(&options);
}

int main(void)
{
    grpc_init();
    int failed = tests_run();
    grpc_shutdown();
    return failed;
}
