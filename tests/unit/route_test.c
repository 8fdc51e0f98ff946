/* Which runtimes a call goes to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/route.h"
#include "message_fixture.h"

#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char file[] =
    "listen: /run/l.sock\n"
    "runtimes:\n"
    "- {name: vm, endpoint: /run/v.sock, handlers: {vm: \"\"}}\n"
    "- {name: containerd, endpoint: /run/c.sock, primary: true}\n"
    "- {name: kata, endpoint: /run/k.sock, image_prefix: kata, handlers: {kata: \"\", kata-fc: firecracker}}\n";

static struct runtime_map *map;

static int begin(void **state)
{
    struct runtime_map_problems problems;
    map = runtime_map_parse("f", file, strlen(file), &problems);
    if (!map) {
        runtime_map_problems_print(&problems, "f", stderr);
    }
    runtime_map_problems_clear(&problems);
    return map ? exchange_begin(state) : -1;
}

static int end(void **state)
{
    runtime_map_free(map);
    return exchange_end(state);
}

static const char *targets_text(const struct route *route, const struct runtime_map *known)
{
    static char text[256];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < route->count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", known->runtimes[route->targets[i]].name);
    }
    return text;
}

static bool find(struct exchange *exchange, const char *method, enum dialect dialect, const char *json, struct route *route)
{
    struct bytes request = exchange_request_bytes(exchange, method, dialect, json);
    exchange->error = (struct error){0};
    return route_find(map, method_by_name(method), dialect, request, exchange->arena, route, &exchange->error);
}

#define ALL "containerd vm kata"
#define TO(runtime) "'kubernetes.io/target-runtime': '" runtime "'"

static const struct {
    const char *method, *request, *targets;
} rows[] = {
    {"Version", "{}", "containerd"},
    {"Status", "{}", "containerd"},
    {"UpdateRuntimeConfig", "{}", ALL},
    {"ImageFsInfo", "{}", ALL},

    {"StopPodSandbox", "{'podSandboxId': 'p'}", "containerd"},
    {"StopPodSandbox", "{'podSandboxId': 'kata__p'}", "kata"},
    {"StopPodSandbox", "{'podSandboxId': 'gone__p'}", "containerd"},
    {"StopPodSandbox", "{}", "containerd"},
    {"CreateContainer", "{'podSandboxId': 'vm__p', 'config': {'image': {'image': 'kata/x'}}}", "vm"},
    {"StartContainer", "{'containerId': 'vm__c'}", "vm"},
    {"ExecSync", "{'containerId': 'c'}", "containerd"},

    {"RunPodSandbox", "{}", "containerd"},
    {"RunPodSandbox", "{'config': {'annotations': {" TO("kata") "}}}", "kata"},
    {"RunPodSandbox", "{'config': {'annotations': {" TO("containerd") "}}}", "containerd"},
    {"RunPodSandbox", "{'config': {'annotations': {" TO("") "}}}", "containerd"},
    {"RunPodSandbox", "{'config': {'labels': {" TO("kata") "}}}", "containerd"},

    {"ListPodSandbox", "{}", ALL},
    {"ListPodSandbox", "{'filter': {'state': {'state': 'SANDBOX_NOTREADY'}}}", ALL},
    {"ListPodSandbox", "{'filter': {'id': 'p'}}", "containerd"},
    {"ListPodSandbox", "{'filter': {'id': 'kata__p'}}", "kata"},
    {"ListContainers", "{'filter': {'id': 'vm__c'}}", "vm"},
    {"ListContainers", "{'filter': {'podSandboxId': 'vm__p'}}", "vm"},
    {"ListContainers", "{'filter': {'id': 'vm__c', 'podSandboxId': 'vm__p'}}", "vm"},
    {"ListContainers", "{'filter': {'id': 'vm__c', 'podSandboxId': 'p'}}", ""},
    {"ListContainerStats", "{'filter': {'podSandboxId': 'p'}}", "containerd"},

    {"ListImages", "{}", ALL},
    {"ListImages", "{'filter': {'image': {'image': 'kata/x'}}}", "kata"},
    {"ListImages", "{'filter': {'image': {'image': 'x'}}}", "containerd"},
    {"ImageStatus", "{'image': {'image': 'x'}}", "containerd"},
    {"ImageStatus", "{'image': {'image': 'docker.io/kata/x'}}", "kata"},
    {"ImageStatus", "{'image': {'image': '" DIGEST "'}}", ALL},
    {"ImageStatus", "{'image': {'image': 'x@" DIGEST "'}}", "containerd"},
    {"ImageStatus", "{}", "containerd"},
    {"RemoveImage", "{'image': {'image': '" DIGEST "'}}", ALL},
    {"PullImage", "{'image': {'image': 'x'}, 'sandboxConfig': {'annotations': {" TO("vm") "}}}", "vm"},
    {"PullImage", "{'image': {'image': 'kata/x'}, 'sandboxConfig': {'annotations': {" TO("vm") "}}}", "vm"},
    {"PullImage", "{'image': {'image': '" DIGEST "'}, 'sandboxConfig': {'annotations': {" TO("vm") "}}}", "vm"},
    {"PullImage", "{'image': {'image': 'x'}, 'sandboxConfig': {}}", "containerd"},
};

static void every_dialect_is_routed_the_same(void **state)
{
    struct exchange *exchange = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
            struct route route;
            assert_true(find(exchange, rows[i].method, (enum dialect)dialect, rows[i].request, &route));
            if (strcmp(targets_text(&route, map), rows[i].targets) != 0) {
                fail_msg("%s %s goes to \"%s\"", rows[i].method, rows[i].request, targets_text(&route, map));
            }
        }
    }
}

static const struct {
    const char *method, *request, *targets; /* NULL: refused */
} rows_v1[] = {
    {"RunPodSandbox", "{'runtimeHandler': 'kata-fc'}", "kata"},
    {"RunPodSandbox", "{'runtimeHandler': 'vm'}", "vm"},
    {"RunPodSandbox", "{'runtimeHandler': 'vm', 'config': {'annotations': {" TO("kata") "}}}", "kata"},
    /* A primary that lists no handlers may serve any. */
    {"RunPodSandbox", "{'runtimeHandler': 'gvisor'}", "containerd"},
    {"ImageStatus", "{'image': {'image': 'kata/x', 'annotations': {" TO("vm") "}}}", "vm"},
    {"ImageStatus", "{'image': {'image': 'x', 'runtimeHandler': 'kata'}}", "kata"},
    {"ImageStatus", "{'image': {'image': 'x', 'runtimeHandler': 'unheard-of'}}", "containerd"},
    {"PullImage", "{'image': {'image': 'x', 'annotations': {" TO("kata") "}}, 'sandboxConfig': {'annotations': {" TO("vm") "}}}",
     "kata"},
    {"ListImages", "{'filter': {'image': {'runtimeHandler': 'kata'}}}", ALL},
};

static void newer_dialects_say_more(void **state)
{
    for (size_t i = 0; i < sizeof rows_v1 / sizeof rows_v1[0]; i++) {
        struct route route;
        assert_true(find(*state, rows_v1[i].method, DIALECT_V1, rows_v1[i].request, &route));
        if (strcmp(targets_text(&route, map), rows_v1[i].targets) != 0) {
            fail_msg("%s %s goes to \"%s\"", rows_v1[i].method, rows_v1[i].request, targets_text(&route, map));
        }
    }
}

static void a_target_that_is_no_runtime_is_told_with_those_that_are(void **state)
{
    struct exchange *exchange = *state;
    struct route route;
    assert_false(find(exchange, "RunPodSandbox", DIALECT_V1_9, "{'config': {'annotations': {" TO("nobody") "}}}", &route));
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(exchange->error.message,
                        "annotation kubernetes.io/target-runtime names runtime \"nobody\", which is not in the "
                        "runtime map; it has vm, containerd, kata");
    assert_false(find(exchange, "PullImage", DIALECT_V1_9, "{'sandboxConfig': {'annotations': {" TO("nobody") "}}}", &route));
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_false(find(exchange, "ImageStatus", DIALECT_V1, "{'image': {'annotations': {" TO("nobody") "}}}", &route));
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
}

static void a_handler_that_nobody_serves_is_refused_where_the_primary_lists_its_own(void **state)
{
    static const char picky[] = "listen: /run/l.sock\n"
                                "runtimes:\n"
                                "- {name: containerd, endpoint: /run/c.sock, primary: true, handlers: {runc: \"\"}}\n";
    struct exchange *exchange = *state;
    struct runtime_map_problems problems;
    struct runtime_map *picky_map = runtime_map_parse("f", picky, strlen(picky), &problems);
    runtime_map_problems_clear(&problems);
    assert_non_null(picky_map);
    struct route route;
    const struct method *run = method_by_name("RunPodSandbox");
    struct bytes runc = exchange_request_bytes(exchange, "RunPodSandbox", DIALECT_V1, "{'runtimeHandler': 'runc'}");
    assert_true(route_find(picky_map, run, DIALECT_V1, runc, exchange->arena, &route, &exchange->error));
    struct bytes kata = exchange_request_bytes(exchange, "RunPodSandbox", DIALECT_V1, "{'runtimeHandler': 'kata'}");
    assert_false(route_find(picky_map, run, DIALECT_V1, kata, exchange->arena, &route, &exchange->error));
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(exchange->error.message, "\"kata\" is served by no runtime"));
    runtime_map_free(picky_map);
}

static void malformed_requests_have_a_route_and_are_refused_later(void **state)
{
    struct exchange *exchange = *state;
    struct route route;
    static const char *const methods_tried[] = {"RunPodSandbox", "ListContainers", "PullImage", "StopPodSandbox"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(route_find(map, method_by_name(methods_tried[i]), DIALECT_V1, BYTES(0xFF, 0xFF), exchange->arena, &route,
                               &exchange->error));
        assert_true(route.count >= 1);
    }
}

static void no_memory_is_resource_exhausted(void **state)
{
    (void)state;
    struct arena *small = arena_new(4);
    struct route route;
    struct error error = {0};
    assert_false(route_find(map, method_by_name("Version"), DIALECT_V1, bytes_of(NULL, 0), small, &route, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dialect_is_routed_the_same),
        cmocka_unit_test(newer_dialects_say_more),
        cmocka_unit_test(a_target_that_is_no_runtime_is_told_with_those_that_are),
        cmocka_unit_test(a_handler_that_nobody_serves_is_refused_where_the_primary_lists_its_own),
        cmocka_unit_test(malformed_requests_have_a_route_and_are_refused_later),
        cmocka_unit_test(no_memory_is_resource_exhausted),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
