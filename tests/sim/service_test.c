/* The simulated runtime without a socket: bytes in, bytes out, in every dialect. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <grpc/grpc.h>

#include "sim/common/fields.h"
#include "sim/common/journal_line.h"
#include "sim/service.h"
#include "tests/cmocka.h"
#include "translate/json/json.h"

struct fixture {
    struct options options;
    struct cri_service service;
};

/* A service with the options of a command line. */
static struct fixture *fixture_new(const char *api, char **more, int more_count)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    char name[] = "crisim", listen[] = "--listen", path[] = "unix:///unused", api_option[] = "--api", api_value[64];
    snprintf(api_value, sizeof api_value, "%s", api);
    char *arguments[32] = {name, listen, path, api_option, api_value};
    int count = 5;
    for (int i = 0; i < more_count; i++) {
        arguments[count++] = more[i];
    }
    optind = 0;
    assert_int_equal(options_parse(count, arguments, &fixture->options), -1);
    struct error error = {0};
    assert_true(service_init(&fixture->service, &fixture->options, &error));
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    service_clear(&fixture->service);
    options_clear(&fixture->options);
    free(fixture);
}

static const bool everything[] = {true, true};

static struct bytes encode_request(const struct target *target, const char *request, struct arena *arena)
{
    struct json_object *json = json_tokener_parse(request);
    assert_non_null(json);
    struct bytes bytes;
    struct error error = {0};
    if (!json_to_message(target->method->in[target->dialect].request, json, true, arena, &bytes, &error)) {
        fail_msg("%s: %s", request, error.message);
    }
    json_object_put(json);
    return bytes;
}

/* The call's answer; the caller clears it. */
static struct target ask(struct fixture *fixture, enum dialect dialect, const char *method, const char *request,
                         struct answer *answer)
{
    const char *path = method_by_name(method)->in[dialect].path;
    assert_non_null(path);
    struct target target;
    struct error error = {0};
    if (!service_find(&fixture->service, bytes_of_string(path), everything, &target, &error)) {
        fail_msg("%s: %s", path, error.message);
    }
    struct arena *arena = arena_new(1 << 20);
    service_answer(&fixture->service, &target, encode_request(&target, request, arena), answer);
    arena_unref(arena);
    return target;
}

static struct json_object *decode_response(const struct target *target, grpc_slice message)
{
    struct error error = {0};
    struct json_object *json =
        json_from_message(target->method->in[target->dialect].response,
                          bytes_of(GRPC_SLICE_START_PTR(message), GRPC_SLICE_LENGTH(message)), JSON_EXACT, &error);
    if (!json) {
        fail_msg("%s: %s", target->method->name, error.message);
    }
    return json;
}

/* The response of a call that must succeed. The caller owns it. */
static struct json_object *call(struct fixture *fixture, enum dialect dialect, const char *method, const char *request)
{
    struct answer answer;
    struct target target = ask(fixture, dialect, method, request, &answer);
    if (answer.error.code != STATUS_OK) {
        fail_msg("%s %s: %s", method, request, answer.error.message);
    }
    assert_int_equal(answer.message_count, 1);
    struct json_object *response = decode_response(&target, answer.messages[0]);
    answer_clear(&answer);
    return response;
}

static void call_quietly(struct fixture *fixture, enum dialect dialect, const char *method, const char *request)
{
    json_object_put(call(fixture, dialect, method, request));
}

/* A call that must fail so. */
static void call_failing(struct fixture *fixture, enum dialect dialect, const char *method, const char *request,
                         enum status_code code, const char *message)
{
    struct answer answer;
    ask(fixture, dialect, method, request, &answer);
    assert_string_equal(answer.error.message, message);
    assert_int_equal(answer.error.code, code);
    assert_int_equal(answer.message_count, 0);
    answer_clear(&answer);
}

/* "%s" in the format is replaced by the id. The text is good until the next call. */
__attribute__((format(printf, 1, 2))) static const char *text_of(const char *format, ...)
{
    static char texts[4][1024];
    static size_t next;
    char *text = texts[next++ % 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof texts[0], format, arguments);
    va_end(arguments);
    return text;
}

#define POD_CONFIG                                                                                                               \
    "{\"metadata\":{\"name\":\"web\",\"uid\":\"u-1\",\"namespace\":\"shop\",\"attempt\":1},\"logDirectory\":\"/var/log/pods/"    \
    "web\","                                                                                                                     \
    "\"labels\":{\"app\":\"web\"},\"annotations\":{\"a\":\"b\"},\"linux\":{}}"

static void run_pod(struct fixture *fixture, enum dialect dialect, char id[ID_SIZE])
{
    struct json_object *response = call(fixture, dialect, "RunPodSandbox", "{\"config\":" POD_CONFIG "}");
    snprintf(id, ID_SIZE, "%s", field_text(response, "podSandboxId"));
    assert_int_equal(strspn(id, "0123456789abcdef"), 64);
    json_object_put(response);
}

static void create_container_in(struct fixture *fixture, enum dialect dialect, const char *pod_id, char id[ID_SIZE])
{
    const char *request = text_of(
        "{\"podSandboxId\":\"%s\",\"config\":{\"metadata\":{\"name\":\"main\"},\"image\":{\"image\":\"busybox\"},"
        "\"logPath\":\"main/0.log\",\"labels\":{\"tier\":\"front\"},\"mounts\":[{\"containerPath\":\"/data\",\"hostPath\":"
        "\"/srv\"}],\"envs\":[{\"key\":\"K\",\"value\":\"V\"}]},\"sandboxConfig\":" POD_CONFIG "}",
        pod_id);
    struct json_object *response = call(fixture, dialect, "CreateContainer", request);
    snprintf(id, ID_SIZE, "%s", field_text(response, "containerId"));
    assert_int_equal(strspn(id, "0123456789abcdef"), 64);
    json_object_put(response);
}

static void expect_container_state(struct fixture *fixture, enum dialect dialect, const char *id, const char *state)
{
    struct json_object *response =
        call(fixture, dialect, "ContainerStatus", text_of("{\"containerId\":\"%s\",\"verbose\":true}", id));
    struct json_object *container = field_child(response, "status");
    const char *shown = field_text(container, "state");
    assert_string_equal(*shown ? shown : "CONTAINER_CREATED", state);
    assert_string_equal(field_text(container, "id"), id);
    assert_string_equal(field_text(container, "logPath"), "/var/log/pods/web/main/0.log");
    assert_string_equal(field_text(field_child(container, "image"), "image"), "docker.io/library/busybox:latest");
    assert_non_null(strstr(field_text(container, "imageRef"), "docker.io/library/busybox@sha256:"));
    assert_int_equal(json_object_array_length(field_child(container, "mounts")), 1);
    assert_non_null(strstr(field_text(field_child(response, "info"), "info"), "\"sandboxID\""));
    json_object_put(response);
}

static size_t count_of(struct fixture *fixture, enum dialect dialect, const char *method, const char *request, const char *field)
{
    struct json_object *response = call(fixture, dialect, method, request);
    struct json_object *items = field_child(response, field);
    size_t count = items ? json_object_array_length(items) : 0;
    json_object_put(response);
    return count;
}

static void expect_echo(struct fixture *fixture, enum dialect dialect, const char *id)
{
    struct json_object *response =
        call(fixture, dialect, "ExecSync", text_of("{\"containerId\":\"%s\",\"cmd\":[\"echo\",\"a\",\"b\"]}", id));
    assert_string_equal(field_text(response, "stdout"), "YSBiCg=="); /* "a b\n" */
    json_object_put(response);
    response = call(fixture, dialect, "ExecSync", text_of("{\"containerId\":\"%s\",\"cmd\":[\"false\"]}", id));
    assert_int_equal(field_number(response, "exitCode"), 1);
    json_object_put(response);
}

static void end_pod(struct fixture *fixture, enum dialect dialect, const char *pod_id, const char *container_id)
{
    call_quietly(fixture, dialect, "StopContainer", text_of("{\"containerId\":\"%s\",\"timeout\":5}", container_id));
    expect_container_state(fixture, dialect, container_id, "CONTAINER_EXITED");
    call_quietly(fixture, dialect, "RemoveContainer", text_of("{\"containerId\":\"%s\"}", container_id));
    call_quietly(fixture, dialect, "StopPodSandbox", text_of("{\"podSandboxId\":\"%s\"}", pod_id));
    struct json_object *response = call(fixture, dialect, "PodSandboxStatus", text_of("{\"podSandboxId\":\"%s\"}", pod_id));
    assert_string_equal(field_text(field_child(response, "status"), "state"), "SANDBOX_NOTREADY");
    json_object_put(response);
    call_quietly(fixture, dialect, "RemovePodSandbox", text_of("{\"podSandboxId\":\"%s\"}", pod_id));
    assert_int_equal(count_of(fixture, dialect, "ListPodSandbox", "{}", "items"), 0);
}

TEST(whole_life_of_a_pod_in_every_dialect)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        enum dialect dialect = (enum dialect)i;
        struct fixture *fixture = fixture_new(dialects[i].name, NULL, 0);
        char pod_id[ID_SIZE], id[ID_SIZE];
        call_quietly(fixture, dialect, "PullImage", "{\"image\":{\"image\":\"busybox\"}}");
        run_pod(fixture, dialect, pod_id);
        create_container_in(fixture, dialect, pod_id, id);
        expect_container_state(fixture, dialect, id, "CONTAINER_CREATED");
        call_quietly(fixture, dialect, "StartContainer", text_of("{\"containerId\":\"%s\"}", id));
        expect_container_state(fixture, dialect, id, "CONTAINER_RUNNING");
        expect_echo(fixture, dialect, id);
        assert_int_equal(count_of(fixture, dialect, "ListContainers", "{}", "containers"), 1);
        assert_int_equal(count_of(fixture, dialect, "ListContainerStats", "{}", "stats"), 1);
        call_quietly(fixture, dialect, "ContainerStats", text_of("{\"containerId\":\"%s\"}", id));
        call_quietly(fixture, dialect, "Exec", text_of("{\"containerId\":\"%s\",\"cmd\":[\"sh\"]}", id));
        end_pod(fixture, dialect, pod_id, id);
        fixture_free(fixture);
    }
}

/* Every RPC of every dialect has a handler, and an empty request crashes none. */
TEST(every_rpc_answers)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        struct fixture *fixture = fixture_new(dialects[i].name, NULL, 0);
        for (size_t m = 0; m < method_count; m++) {
            if (methods[m].in[i].path) {
                struct answer answer;
                ask(fixture, (enum dialect)i, methods[m].name, "{}", &answer);
                assert_int_not_equal(answer.error.code, STATUS_UNIMPLEMENTED);
                assert_int_not_equal(answer.error.code, STATUS_INTERNAL);
                answer_clear(&answer);
            }
        }
        fixture_free(fixture);
    }
}

static void expect_no_method(const struct fixture *fixture, const char *path, const bool offered[2], const char *message)
{
    struct target target;
    struct error error = {0};
    assert_false(service_find(&fixture->service, bytes_of_string(path), offered, &target, &error));
    assert_int_equal(error.code, STATUS_UNIMPLEMENTED);
    assert_string_equal(error.message, message);
}

TEST(what_is_not_served_is_unimplemented)
{
    struct fixture *fixture = fixture_new("v1_12", NULL, 0);
    static const bool runtime_only[] = {[SERVICE_RUNTIME] = true, [SERVICE_IMAGE] = false};
    expect_no_method(fixture, "/runtime.v1.RuntimeService/Version", everything, "unknown service runtime.v1.RuntimeService");
    expect_no_method(fixture, "/runtime.v1.RuntimeService/Nothing", everything, "unknown service runtime.v1.RuntimeService");
    expect_no_method(fixture, "/runtime.v1alpha2.ImageService/ListImages", runtime_only,
                     "unknown service runtime.v1alpha2.ImageService");
    expect_no_method(fixture, "/other.Service/Do", everything, "unknown service other.Service");
    expect_no_method(fixture, "/runtime.v1alpha2.RuntimeService/PodSandboxStats", everything,
                     "unknown method PodSandboxStats for service runtime.v1alpha2.RuntimeService");
    expect_no_method(fixture, "/runtime.v1alpha2.RuntimeService/Nothing", everything,
                     "unknown method Nothing for service runtime.v1alpha2.RuntimeService");
    expect_no_method(fixture, "Version", everything, "malformed method name: \"Version\"");
    fixture_free(fixture);
}

TEST(wrong_states_fail_as_containerd_fails)
{
    struct fixture *fixture = fixture_new("v1", NULL, 0);
    char pod_id[ID_SIZE], id[ID_SIZE];
    call_failing(fixture, DIALECT_V1, "ContainerStatus", "{\"containerId\":\"nope\"}", STATUS_NOT_FOUND,
                 "an error occurred when try to find container \"nope\": not found");
    call_failing(fixture, DIALECT_V1, "PodSandboxStatus", "{\"podSandboxId\":\"nope\"}", STATUS_NOT_FOUND,
                 "an error occurred when try to find sandbox: not found");
    call_failing(fixture, DIALECT_V1, "CreateContainer", "{\"podSandboxId\":\"nope\"}", STATUS_NOT_FOUND,
                 "failed to find sandbox id \"nope\": not found");
    call_failing(fixture, DIALECT_V1, "RunPodSandbox", "{\"config\":" POD_CONFIG ",\"runtimeHandler\":\"kata\"}", STATUS_UNKNOWN,
                 "failed to get sandbox runtime: no runtime for \"kata\" is configured");
    run_pod(fixture, DIALECT_V1, pod_id);
    call_failing(
        fixture, DIALECT_V1, "RunPodSandbox", "{\"config\":" POD_CONFIG "}", STATUS_UNKNOWN,
        text_of("failed to reserve sandbox name \"web_shop_u-1_1\": name \"web_shop_u-1_1\" is reserved for \"%s\"", pod_id));
    call_failing(
        fixture, DIALECT_V1, "CreateContainer",
        text_of("{\"podSandboxId\":\"%s\",\"config\":{\"metadata\":{\"name\":\"x\"},\"image\":{\"image\":\"busybox\"}}}", pod_id),
        STATUS_NOT_FOUND, "failed to resolve image \"busybox\": not found");
    call_quietly(fixture, DIALECT_V1, "PullImage", "{\"image\":{\"image\":\"busybox\"}}");
    create_container_in(fixture, DIALECT_V1, pod_id, id);
    call_failing(fixture, DIALECT_V1, "ExecSync", text_of("{\"containerId\":\"%s\",\"cmd\":[\"true\"]}", id), STATUS_UNKNOWN,
                 "failed to exec in container: container is in CONTAINER_CREATED state");
    const char *start = text_of("{\"containerId\":\"%s\"}", id);
    call_quietly(fixture, DIALECT_V1, "StartContainer", start);
    call_failing(fixture, DIALECT_V1, "StartContainer", text_of("{\"containerId\":\"%s\"}", id), STATUS_UNKNOWN,
                 text_of("failed to set starting state for container \"%s\": container is in CONTAINER_RUNNING state", id));
    /* The name is free again when the pod has gone, with what is in it. */
    call_quietly(fixture, DIALECT_V1, "RemovePodSandbox", text_of("{\"podSandboxId\":\"%s\"}", pod_id));
    assert_int_equal(count_of(fixture, DIALECT_V1, "ListContainers", "{}", "containers"), 0);
    run_pod(fixture, DIALECT_V1, pod_id);
    fixture_free(fixture);
}

TEST(stop_and_remove_take_what_is_gone_for_done)
{
    struct fixture *fixture = fixture_new("v1", NULL, 0);
    call_quietly(fixture, DIALECT_V1, "StopContainer", "{\"containerId\":\"nope\"}");
    call_quietly(fixture, DIALECT_V1, "RemoveContainer", "{\"containerId\":\"nope\"}");
    call_quietly(fixture, DIALECT_V1, "StopPodSandbox", "{\"podSandboxId\":\"nope\"}");
    call_quietly(fixture, DIALECT_V1, "RemovePodSandbox", "{\"podSandboxId\":\"nope\"}");
    call_quietly(fixture, DIALECT_V1, "RemoveImage", "{\"image\":{\"image\":\"nope\"}}");
    fixture_free(fixture);
}

TEST(a_sleep_waits_or_runs_out_of_time)
{
    char count[] = "--containers", one[] = "1";
    struct fixture *fixture = fixture_new("v1", (char *[]){count, one}, 2);
    const struct container *container = fixture->service.simulation.containers.items[0];
    struct answer answer;
    ask(fixture, DIALECT_V1, "ExecSync",
        text_of("{\"containerId\":\"%s\",\"cmd\":[\"sleep\",\"2\"],\"timeout\":5}", container->id), &answer);
    assert_int_equal(answer.error.code, STATUS_OK);
    assert_int_equal(answer.delay, 2000);
    answer_clear(&answer);
    ask(fixture, DIALECT_V1, "ExecSync",
        text_of("{\"containerId\":\"%s\",\"cmd\":[\"sleep\",\"9\"],\"timeout\":3}", container->id), &answer);
    assert_int_equal(answer.error.code, STATUS_DEADLINE_EXCEEDED);
    assert_int_equal(answer.delay, 3000);
    answer_clear(&answer);
    fixture_free(fixture);
}

TEST(filters_narrow_lists)
{
    char count[] = "--containers", ten[] = "10";
    struct fixture *fixture = fixture_new("v1", (char *[]){count, ten}, 2);
    struct simulation *simulation = &fixture->service.simulation;
    const struct container *first = simulation->containers.items[0];
    const char *method = "ListContainers", *field = "containers";
    assert_int_equal(simulation->pods.count, 4);
    assert_int_equal(count_of(fixture, DIALECT_V1, method, "{}", field), 10);
    assert_int_equal(count_of(fixture, DIALECT_V1, method, text_of("{\"filter\":{\"id\":\"%.12s\"}}", first->id), field), 1);
    assert_int_equal(
        count_of(fixture, DIALECT_V1, method, text_of("{\"filter\":{\"podSandboxId\":\"%s\"}}", first->pod->id), field), 3);
    assert_int_equal(count_of(fixture, DIALECT_V1, method, "{\"filter\":{\"state\":{}}}", field), 0);
    assert_int_equal(count_of(fixture, DIALECT_V1, method, "{\"filter\":{\"state\":{\"state\":\"CONTAINER_RUNNING\"}}}", field),
                     10);
    assert_int_equal(count_of(fixture, DIALECT_V1, method,
                              "{\"filter\":{\"labelSelector\":{\"io.kubernetes.container.name\":\"container-0\"}}}", field),
                     4);
    assert_int_equal(count_of(fixture, DIALECT_V1, "ListPodSandbox", "{\"filter\":{\"state\":{}}}", "items"), 4);
    assert_int_equal(
        count_of(fixture, DIALECT_V1, "ListPodSandbox", "{\"filter\":{\"state\":{\"state\":\"SANDBOX_NOTREADY\"}}}", "items"), 0);
    fixture_free(fixture);
}

static void expect_image(struct fixture *fixture, const char *name, const char *id)
{
    struct json_object *response = call(fixture, DIALECT_V1, "ImageStatus", text_of("{\"image\":{\"image\":\"%s\"}}", name));
    assert_string_equal(field_text(field_child(response, "image"), "id"), id);
    json_object_put(response);
}

TEST(images_are_found_by_every_name_they_have)
{
    struct fixture *fixture = fixture_new("v1", NULL, 0);
    struct json_object *response = call(fixture, DIALECT_V1, "PullImage", "{\"image\":{\"image\":\"busybox\"}}");
    char id[128];
    snprintf(id, sizeof id, "%s", field_text(response, "imageRef"));
    json_object_put(response);
    const struct image *image = fixture->service.simulation.images.items[0];
    expect_image(fixture, "busybox", id);
    expect_image(fixture, "busybox:latest", id);
    expect_image(fixture, "docker.io/busybox", id);
    expect_image(fixture, "docker.io/library/busybox:latest", id);
    expect_image(fixture, id, id);
    expect_image(fixture, id + strlen("sha256:"), id);
    expect_image(fixture, json_object_get_string(json_object_array_get_idx(image->digests, 0)), id);
    expect_image(fixture, "busybox:1", "");
    expect_image(fixture, "other/busybox", "");
    expect_image(fixture, "", "");
    call_quietly(fixture, DIALECT_V1, "PullImage", "{\"image\":{\"image\":\"library/busybox\"}}");
    assert_int_equal(count_of(fixture, DIALECT_V1, "ListImages", "{}", "images"), 1);
    call_failing(fixture, DIALECT_V1, "PullImage", "{\"image\":{\"image\":\"No/Upper\"}}", STATUS_UNKNOWN,
                 "failed to parse image reference \"No/Upper\": invalid reference format");
    call_quietly(fixture, DIALECT_V1, "RemoveImage", "{\"image\":{\"image\":\"busybox\"}}");
    expect_image(fixture, "busybox", "");
    fixture_free(fixture);
}

TEST(namespaces_read_the_same_in_both_spellings)
{
    struct fixture *fixture = fixture_new("v1_9,v1", NULL, 0);
    struct json_object *response = call(fixture, DIALECT_V1_9, "RunPodSandbox",
                                        "{\"config\":{\"metadata\":{\"name\":\"h\"},\"linux\":{\"securityContext\":{"
                                        "\"namespaceOptions\":{\"hostNetwork\":true}}}}}");
    const char *request = text_of("{\"podSandboxId\":\"%s\"}", field_text(response, "podSandboxId"));
    json_object_put(response);
    response = call(fixture, DIALECT_V1, "PodSandboxStatus", request);
    struct json_object *linux_status = field_child(field_child(response, "status"), "linux");
    struct json_object *options = field_child(field_child(linux_status, "namespaces"), "options");
    assert_string_equal(field_text(options, "network"), "NODE");
    assert_string_equal(field_text(options, "pid"), "CONTAINER");
    json_object_put(response);
    response = call(fixture, DIALECT_V1_9, "PodSandboxStatus", request);
    linux_status = field_child(field_child(response, "status"), "linux");
    options = field_child(field_child(linux_status, "namespaces"), "options");
    assert_true(field_flag(options, "hostNetwork"));
    assert_false(field_flag(options, "hostPid"));
    json_object_put(response);
    fixture_free(fixture);
}

TEST(filesystems_are_named_as_the_dialect_does)
{
    struct fixture *fixture = fixture_new("v1_9,v1", NULL, 0);
    struct json_object *response = call(fixture, DIALECT_V1_9, "ImageFsInfo", "{}");
    struct json_object *usage = json_object_array_get_idx(field_child(response, "imageFilesystems"), 0);
    assert_int_equal(strlen(field_text(field_child(usage, "storageId"), "uuid")), 36);
    json_object_put(response);
    response = call(fixture, DIALECT_V1, "ImageFsInfo", "{}");
    usage = json_object_array_get_idx(field_child(response, "imageFilesystems"), 0);
    assert_string_equal(field_text(field_child(usage, "fsId"), "mountpoint"), "/var/lib/crisim/images");
    json_object_put(response);
    fixture_free(fixture);
}

TEST(misbehaves_as_told)
{
    char fail[] = "--fail", version_twice[] = "Version=UNAVAILABLE:2", oversize[] = "--oversize", size[] = "Status=100000",
         list_size[] = "ListImages=50000", images[] = "--images", two[] = "2", garbage[] = "--garbage",
         method[] = "RuntimeConfig", exec_size[] = "Exec=3000", containers[] = "--containers", one[] = "1";
    char *more[] = {fail, version_twice, oversize, size,     oversize,  list_size,  images,
                    two,  garbage,       method,   oversize, exec_size, containers, one};
    struct fixture *fixture = fixture_new("v1", more, sizeof more / sizeof *more);
    call_failing(fixture, DIALECT_V1, "Version", "{}", STATUS_UNAVAILABLE, "Version was told to fail");
    call_failing(fixture, DIALECT_V1, "Version", "{}", STATUS_UNAVAILABLE, "Version was told to fail");
    call_quietly(fixture, DIALECT_V1, "Version", "{}");

    struct json_object *response = call(fixture, DIALECT_V1, "Status", "{}");
    assert_true(strlen(field_text(field_child(response, "info"), "padding")) > 99000);
    json_object_put(response);
    assert_true(count_of(fixture, DIALECT_V1, "ListImages", "{}", "images") > 100);
    const struct container *container = fixture->service.simulation.containers.items[0];
    response = call(fixture, DIALECT_V1, "Exec", text_of("{\"containerId\":\"%s\"}", container->id));
    assert_true(strlen(field_text(response, "url")) > 2900);
    json_object_put(response);

    struct answer answer;
    struct target target = ask(fixture, DIALECT_V1, "RuntimeConfig", "{}", &answer);
    assert_int_equal(answer.message_count, 1);
    struct bytes bytes = bytes_of(GRPC_SLICE_START_PTR(answer.messages[0]), GRPC_SLICE_LENGTH(answer.messages[0]));
    struct error error = {0};
    assert_null(json_from_message(target.method->in[DIALECT_V1].response, bytes, JSON_EXACT, &error));
    answer_clear(&answer);
    fixture_free(fixture);
}

TEST(repeated_reads_come_from_the_cache_until_something_changes)
{
    struct fixture *fixture = fixture_new("v1", NULL, 0);
    struct answer first, second, third;
    ask(fixture, DIALECT_V1, "ListImages", "{}", &first);
    call_quietly(fixture, DIALECT_V1, "PullImage", "{\"image\":{\"image\":\"busybox\"}}");
    ask(fixture, DIALECT_V1, "ListImages", "{}", &second);
    assert_int_not_equal(GRPC_SLICE_LENGTH(first.messages[0]), GRPC_SLICE_LENGTH(second.messages[0]));
    ask(fixture, DIALECT_V1, "ListImages", "{}", &third);
    assert_ptr_equal(GRPC_SLICE_START_PTR(second.messages[0]), GRPC_SLICE_START_PTR(third.messages[0]));
    answer_clear(&first);
    answer_clear(&second);
    answer_clear(&third);
    fixture_free(fixture);
}

TEST(what_is_to_be_repeated_is_done_once)
{
    char repeat[] = "--repeat", method[] = "CreateContainer", count[] = "--containers", number[] = "1";
    struct fixture *fixture = fixture_new("v1", (char *[]){repeat, method, count, number}, 4);
    struct answer pods, first, second;
    struct target list = ask(fixture, DIALECT_V1, "ListPodSandbox", "{}", &pods);
    struct json_object *pod = decode_response(&list, pods.messages[0]);
    char request[512];
    snprintf(request, sizeof request,
             "{\"podSandboxId\":\"%s\",\"config\":{\"metadata\":{\"name\":\"x\"},\"image\":{\"image\":\"%s\"}}}",
             field_text(json_object_array_get_idx(field_child(pod, "items"), 0), "id"), "registry.example.com/shop/web:1.0");
    ask(fixture, DIALECT_V1, "CreateContainer", request, &first);
    assert_int_equal(first.error.code, STATUS_OK);
    ask(fixture, DIALECT_V1, "CreateContainer", request, &second);
    assert_int_equal(second.error.code, STATUS_OK);
    assert_ptr_equal(GRPC_SLICE_START_PTR(first.messages[0]), GRPC_SLICE_START_PTR(second.messages[0]));
    json_object_put(pod);
    answer_clear(&pods);
    answer_clear(&first);
    answer_clear(&second);
    fixture_free(fixture);
}

TEST(what_is_to_vary_never_says_the_same_twice)
{
    char vary[] = "--vary", method[] = "ListContainers", count[] = "--containers", number[] = "2";
    struct fixture *fixture = fixture_new("v1", (char *[]){vary, method, count, number}, 4);
    struct answer first, second;
    struct target list = ask(fixture, DIALECT_V1, "ListContainers", "{}", &first);
    ask(fixture, DIALECT_V1, "ListContainers", "{}", &second);
    size_t len = GRPC_SLICE_LENGTH(first.messages[0]);
    assert_int_equal(GRPC_SLICE_LENGTH(second.messages[0]), len);
    assert_memory_equal(GRPC_SLICE_START_PTR(first.messages[0]), GRPC_SLICE_START_PTR(second.messages[0]), len - 1);
    assert_int_not_equal(GRPC_SLICE_START_PTR(first.messages[0])[len - 1], GRPC_SLICE_START_PTR(second.messages[0])[len - 1]);
    struct json_object *containers = decode_response(&list, second.messages[0]);
    assert_int_equal(json_object_array_length(field_child(containers, "containers")), 2);
    json_object_put(containers);
    answer_clear(&first);
    answer_clear(&second);
    fixture_free(fixture);
}

TEST(what_is_shuffled_has_the_same_items)
{
    char shuffle[] = "--shuffle", method[] = "ListContainers", count[] = "--containers", number[] = "40";
    struct fixture *fixture = fixture_new("v1", (char *[]){shuffle, method, count, number}, 4);
    struct answer first, second;
    struct target list = ask(fixture, DIALECT_V1, "ListContainers", "{}", &first);
    ask(fixture, DIALECT_V1, "ListContainers", "{}", &second);
    size_t len = GRPC_SLICE_LENGTH(first.messages[0]);
    assert_int_equal(GRPC_SLICE_LENGTH(second.messages[0]), len);
    assert_memory_not_equal(GRPC_SLICE_START_PTR(first.messages[0]), GRPC_SLICE_START_PTR(second.messages[0]), len);
    struct json_object *one = decode_response(&list, first.messages[0]), *other = decode_response(&list, second.messages[0]);
    struct json_object *ones = field_child(one, "containers"), *others = field_child(other, "containers");
    assert_int_equal(json_object_array_length(ones), 40);
    assert_int_equal(json_object_array_length(others), 40);
    for (size_t i = 0, found = 0; i < 40; i++, found = 0) {
        for (size_t j = 0; j < 40; j++) {
            found += json_object_equal(json_object_array_get_idx(ones, i), json_object_array_get_idx(others, j)) ? 1 : 0;
        }
        assert_int_equal(found, 1);
    }
    json_object_put(one);
    json_object_put(other);
    answer_clear(&first);
    answer_clear(&second);
    fixture_free(fixture);
}

TEST(streams_carry_a_list_in_parts)
{
    char count[] = "--containers", number[] = "250";
    struct fixture *fixture = fixture_new("v1", (char *[]){count, number}, 2);
    struct answer answer;
    struct target target = ask(fixture, DIALECT_V1, "StreamContainers", "{}", &answer);
    assert_int_equal(answer.message_count, 3);
    size_t items = 0;
    for (size_t i = 0; i < answer.message_count; i++) {
        struct json_object *part = decode_response(&target, answer.messages[i]);
        items += json_object_array_length(field_child(part, "containers"));
        json_object_put(part);
    }
    assert_int_equal(items, 250);
    answer_clear(&answer);
    ask(fixture, DIALECT_V1, "StreamPodSandboxes", "{\"filter\":{\"id\":\"nope\"}}", &answer);
    assert_int_equal(answer.error.code, STATUS_OK);
    assert_int_equal(answer.message_count, 0);
    answer_clear(&answer);
    ask(fixture, DIALECT_V1, "GetContainerEvents", "{}", &answer);
    assert_true(answer.stays_open);
    answer_clear(&answer);
    fixture_free(fixture);
}

TEST(preloaded_state_is_realistic_and_the_same_every_time)
{
    char count[] = "--containers", number[] = "1000", images[] = "--images", fifty[] = "50";
    char *more[] = {count, number, images, fifty};
    struct fixture *one = fixture_new("v1", more, 4);
    struct fixture *other = fixture_new("v1", more, 4);
    const struct list *ones = &one->service.simulation.containers;
    const struct list *others = &other->service.simulation.containers;
    assert_int_equal(ones->count, 1000);
    assert_int_equal(one->service.simulation.images.count, 50);
    for (size_t i = 0; i < ones->count; i++) {
        assert_string_equal(ones->items[i], others->items[i]);
    }
    struct answer answer;
    ask(one, DIALECT_V1, "ListContainers", "{}", &answer);
    size_t size = GRPC_SLICE_LENGTH(answer.messages[0]);
    assert_true(size >= 600 * 1000 && size <= 1000 * 1000);
    answer_clear(&answer);
    fixture_free(one);
    fixture_free(other);
}

TEST(unknown_fields_are_counted_at_every_depth)
{
    const struct schema_message *schema = method_by_name("ListContainers")->in[DIALECT_V1].request;
    /* filter { id: "a", 99: 1 }, 98: 1 */
    static const char request[] = "\x0a\x06\x0a\x01"
                                  "a\x98\x06\x01\x90\x06\x01";
    assert_int_equal(unknown_field_count(schema, bytes_of(request, sizeof request - 1)), 2);
    assert_int_equal(unknown_field_count(schema, bytes_of("", 0)), 0);
}

TEST(bytes_that_are_no_request_are_refused)
{
    struct fixture *fixture = fixture_new("v1", NULL, 0);
    struct target target;
    struct error error = {0};
    assert_true(service_find(&fixture->service, bytes_of_string("/runtime.v1.RuntimeService/ContainerStatus"), everything,
                             &target, &error));
    struct answer answer;
    service_answer(&fixture->service, &target, bytes_of("\xff\xff", 2), &answer);
    assert_int_equal(answer.error.code, STATUS_INTERNAL);
    answer_clear(&answer);
    fixture_free(fixture);
}

int main(void)
{
    grpc_init();
    int failed = tests_run();
    grpc_shutdown();
    return failed;
}
