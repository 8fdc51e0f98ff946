/* Calls in flight, seen from outside: how they are described, and which are logged because they take long. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/system/clock.h"
#include "core/calls/describe.h"
#include "core/calls/slow.h"
#include "tests/cmocka.h"

#define SLOW (SLOW_CALL_MS * NANOSECONDS_A_MILLISECOND)

/* A call that only the server's list knows. */
static struct call *make_call(struct call_server *server, const char *method, enum call_state state)
{
    struct call *call = calloc(1, sizeof *call);
    assert_non_null(call);
    call->server = server;
    call->id = ++server->arrived;
    call->started = clock_ns();
    call->state = state;
    call->request.method = method[0] == '/' ? NULL : method_by_name(method);
    call->request.caller = DIALECT_MODEL;
    call->details.method = grpc_slice_from_copied_string(method);
    LIST_INSERT_HEAD(&server->in_flight, call, flight);
    return call;
}

static void free_calls(struct call_server *server)
{
    while (!LIST_EMPTY(&server->in_flight)) {
        struct call *call = LIST_FIRST(&server->in_flight);
        LIST_REMOVE(call, flight);
        grpc_slice_unref(call->details.method);
        free(call);
    }
}

/* ---- how they are described ---- */

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(object, key, &value);
    return value ? json_object_get_string(value) : "";
}

static void expect_container(const char *request, size_t size, const char *expected)
{
    struct call_server server = {0};
    struct call *call = make_call(&server, "ContainerStatus", CALL_ASKING);
    call->request.bytes = bytes_of(request, size);
    struct json_object *object = in_flight_describe(call, call->started);
    assert_string_equal(text_of(object, "container"), expected);
    json_object_put(object);
    free_calls(&server);
}

TEST(what_a_request_names_is_cut_and_printable)
{
    char request[203] = {0x0a, (char)200, 0x01};
    memset(request + 3, 'x', sizeof request - 3);
    char expected[129];
    memset(expected, 'x', 128);
    expected[128] = '\0';
    expect_container(request, sizeof request, expected);
    expect_container("\x0a\x05"
                     "a\x1b\nb\xff",
                     7, "a??b?");
    expect_container("\x0a\x05"
                     "ab",
                     4, ""); /* shorter than it claims */
    expect_container("", 0, "");
}

TEST(an_unknown_rpc_is_shown_by_its_path)
{
    struct call_server server = {0};
    struct call *call = make_call(&server, "/runtime.v1.RuntimeService/Odd\033", CALL_RECEIVING);
    struct json_object *object = in_flight_describe(call, call->started + 1500 * NANOSECONDS_A_MILLISECOND);
    assert_string_equal(text_of(object, "method"), "/runtime.v1.RuntimeService/Odd?");
    assert_string_equal(text_of(object, "state"), "receiving the request");
    assert_string_equal(text_of(object, "ageMilliseconds"), "1500");
    assert_false(json_object_object_get_ex(object, "runtimes", NULL));
    assert_false(json_object_object_get_ex(object, "pid", NULL));
    json_object_put(object);
    free_calls(&server);
}

TEST(the_oldest_come_first_and_are_those_that_are_kept)
{
    struct call_server server = {0};
    for (int i = 0; i < IN_FLIGHT_DESCRIBED + 3; i++) {
        make_call(&server, "Version", CALL_RECEIVING);
    }
    struct json_object *object = json_object_new_object(), *calls = NULL;
    in_flight_describe_all(&server, NULL, object);
    assert_true(json_object_object_get_ex(object, "calls", &calls));
    assert_int_equal(json_object_array_length(calls), IN_FLIGHT_DESCRIBED);
    assert_string_equal(text_of(json_object_array_get_idx(calls, 0), "id"), "1");
    assert_string_equal(text_of(json_object_array_get_idx(calls, IN_FLIGHT_DESCRIBED - 1), "id"), "1000");
    assert_string_equal(text_of(object, "total"), "1003");
    json_object_put(object);
    object = json_object_new_object();
    in_flight_describe_all(&server, "main", object); /* none has a runtime yet */
    assert_string_equal(text_of(object, "total"), "0");
    json_object_put(object);
    free_calls(&server);
}

/* ---- which take long ---- */

TEST(a_call_is_due_in_one_look_only)
{
    struct call_server server = {0};
    struct call *call = make_call(&server, "ContainerStatus", CALL_ASKING);
    int64_t began = call->started;
    assert_false(slow_calls_is_due(call, began, began + SLOW - 1));
    assert_true(slow_calls_is_due(call, began, began + SLOW));
    assert_true(slow_calls_is_due(call, began + SLOW - 1, began + 3 * SLOW));
    assert_false(slow_calls_is_due(call, began + SLOW, began + 2 * SLOW));
    free_calls(&server);
}

TEST(what_may_last_is_due_only_while_no_runtime_works_on_it)
{
    static const char *const lasting[] = {"PullImage", "StopContainer", "StopPodSandbox", "ExecSync", "GetContainerEvents"};
    struct call_server server = {0};
    for (size_t i = 0; i < sizeof lasting / sizeof lasting[0]; i++) {
        struct call *call = make_call(&server, lasting[i], CALL_ASKING);
        assert_false(slow_calls_is_due(call, call->started, call->started + SLOW));
        call->state = CALL_PARKED;
        assert_true(slow_calls_is_due(call, call->started, call->started + SLOW));
    }
    struct call *list = make_call(&server, "ListContainers", CALL_STREAMING);
    assert_true(slow_calls_is_due(list, list->started, list->started + SLOW));
    struct call *unknown = make_call(&server, "/runtime.v1.RuntimeService/Odd", CALL_ASKING);
    assert_true(slow_calls_is_due(unknown, unknown->started, unknown->started + SLOW));
    free_calls(&server);
}
