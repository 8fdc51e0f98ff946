/* Which runtimes a call goes to. */
#include "core/runtimes/route.h"
#include "tests/cmocka.h"
#include "tests/unit/core/map/map_fixture.h"
#include "tests/unit/translate/message_fixture.h"

#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char file[] =
    "listen: /run/l.sock\n"
    "runtimes:\n"
    "- {name: vm, endpoint: /run/v.sock, handlers: {vm: \"\"}}\n"
    "- {name: containerd, endpoint: /run/c.sock, primary: true}\n"
    "- {name: kata, endpoint: /run/k.sock, image_prefix: kata, handlers: {kata: \"\", kata-fc: firecracker}}\n";

/* A generation without connections. A runtime's slot is not its place. */
#define MOST_RUNTIMES 4
#define SLOT(place) (20U - (unsigned)(place))

struct scene {
    struct generation generation;
    struct runtime runtimes[MOST_RUNTIMES];
    struct runtime *places[MOST_RUNTIMES];
};

static struct runtime_map *read_map(const char *text)
{
    struct runtime_map_problems problems;
    struct runtime_map *read = runtime_map_parse("f", text, strlen(text), &problems);
    if (!read) {
        runtime_map_problems_print(&problems, "f", stderr);
    }
    runtime_map_problems_clear(&problems);
    return read;
}

static bool scene_set(struct scene *scene, const char *text)
{
    struct runtime_map *read = read_map(text);
    *scene = (struct scene){.generation = {.references = 1, .map = read, .runtimes = scene->places}};
    for (size_t i = 0; read && i < read->runtime_count; i++) {
        scene->runtimes[i] = (struct runtime){.entry = &read->runtimes[i], .slot = SLOT(i)};
        scene->places[i] = &scene->runtimes[i];
        scene->generation.plain_count += read->runtimes[i].plain_ids;
    }
    return read != NULL;
}

static void scene_clear(struct scene *scene)
{
    runtime_map_free(scene->generation.map);
}

static struct scene usual;
static struct runtime_map *map;
static struct id_index *id_index;
static struct pod_places *pod_places;

static int begin(void **state)
{
    bool set = scene_set(&usual, file);
    map = usual.generation.map;
    id_index = id_index_new();
    pod_places = pod_places_new();
    return set && id_index && pod_places ? exchange_begin(state) : -1;
}

static int end(void **state)
{
    scene_clear(&usual);
    id_index_free(id_index);
    pod_places_free(pod_places);
    return exchange_end(state);
}

/* What a route is found with, in that scene. */
static struct route_view view_of(const struct scene *scene, const char *method, enum dialect dialect, struct bytes request,
                                 struct arena *arena)
{
    return (struct route_view){
        .generation = &scene->generation,
        .index = id_index,
        .places = pod_places,
        .method = method_by_name(method),
        .caller = dialect,
        .request = request,
        .arena = arena,
    };
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

static bool find_in(const struct scene *scene, struct exchange *exchange, const char *method, enum dialect dialect,
                    const char *json, struct route *route)
{
    struct bytes request = exchange_request_bytes(exchange, method, dialect, json);
    struct route_view view = view_of(scene, method, dialect, request, exchange->arena);
    exchange->error = (struct error){0};
    return route_find(&view, route, &exchange->error);
}

static bool find(struct exchange *exchange, const char *method, enum dialect dialect, const char *json, struct route *route)
{
    return find_in(&usual, exchange, method, dialect, json, route);
}

#define ALL "containerd vm kata"
#define TO(runtime) "'kubernetes.io/target-runtime': '" runtime "'"

static const struct {
    const char *method, *request, *targets;
} rows[] = {
    {"Version", "{}", "containerd"},
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
    /* A password goes to one. */
    {"PullImage", "{'image': {'image': '" DIGEST "'}}", "containerd"},
    {"PullImage", "{'image': {'image': '" DIGEST "'}, 'auth': {'password': 'p'}}", "containerd"},
};

ALL_TESTS(begin, end)

/* Handlers and features are told since v1: older callers need no other runtime for their status. */
TEST(only_callers_that_know_handlers_ask_all_for_a_status)
{
    struct exchange *exchange = *state;
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        struct route route;
        assert_true(find(exchange, "Status", (enum dialect)dialect, "{}", &route));
        assert_string_equal(targets_text(&route, map), dialect == DIALECT_V1 ? ALL : "containerd");
    }
}

TEST(every_dialect_is_routed_the_same)
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

TEST(newer_dialects_say_more)
{
    for (size_t i = 0; i < sizeof rows_v1 / sizeof rows_v1[0]; i++) {
        struct route route;
        assert_true(find(*state, rows_v1[i].method, DIALECT_V1, rows_v1[i].request, &route));
        if (strcmp(targets_text(&route, map), rows_v1[i].targets) != 0) {
            fail_msg("%s %s goes to \"%s\"", rows_v1[i].method, rows_v1[i].request, targets_text(&route, map));
        }
    }
}

TEST(a_target_that_is_no_runtime_is_told_with_those_that_are)
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

TEST(a_handler_that_nobody_serves_is_refused_where_the_primary_lists_its_own)
{
    static const char picky[] = "listen: /run/l.sock\n"
                                "runtimes:\n"
                                "- {name: containerd, endpoint: /run/c.sock, primary: true, handlers: {runc: \"\"}}\n";
    struct exchange *exchange = *state;
    struct scene scene;
    struct route route;
    assert_true(scene_set(&scene, picky));
    assert_true(find_in(&scene, exchange, "RunPodSandbox", DIALECT_V1, "{'runtimeHandler': 'runc'}", &route));
    assert_false(find_in(&scene, exchange, "RunPodSandbox", DIALECT_V1, "{'runtimeHandler': 'kata'}", &route));
    assert_int_equal(exchange->error.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(exchange->error.message, "\"kata\" is not served by any runtime"));
    scene_clear(&scene);
}

/* ---- roles ---- */

static const char roles[] = "listen: /run/l.sock\n"
                            "runtimes:\n"
                            "- {name: old, endpoint: /run/o.sock, ids: plain, handlers: {legacy: \"\"}, new_pods: false}\n"
                            "- {name: main, endpoint: /run/m.sock, primary: true}\n"
                            "- {name: new, endpoint: /run/n.sock, ids: plain, default: true}\n"
                            "- {name: vm, endpoint: /run/v.sock, handlers: {kvm: \"\"}}\n";

TEST(new_pods_go_where_roles_say)
{
    struct exchange *exchange = *state;
    struct scene scene;
    struct route route;
    assert_true(scene_set(&scene, roles));
    const struct runtime_map *known = scene.generation.map;
    assert_true(find_in(&scene, exchange, "RunPodSandbox", DIALECT_V1, "{}", &route));
    assert_string_equal(targets_text(&route, known), "new");
    assert_true(find_in(&scene, exchange, "RunPodSandbox", DIALECT_V1, "{'runtimeHandler': 'kvm'}", &route));
    assert_string_equal(targets_text(&route, known), "vm");
    assert_true(find_in(&scene, exchange, "RunPodSandbox", DIALECT_V1, "{'config': {'annotations': {" TO("main") "}}}", &route));
    assert_string_equal(targets_text(&route, known), "main");
    static const char *const refused[] = {"{'runtimeHandler': 'legacy'}", "{'config': {'annotations': {" TO("old") "}}}"};
    for (size_t i = 0; i < 2; i++) {
        assert_false(find_in(&scene, exchange, "RunPodSandbox", DIALECT_V1, refused[i], &route));
        assert_int_equal(exchange->error.code, STATUS_FAILED_PRECONDITION);
        assert_string_equal(exchange->error.message, "runtime old takes no new pods (new_pods: false in the runtime map)");
    }
    /* It keeps what it has: containers and images for its pods still go there. */
    assert_true(id_index_learn(id_index, ID_POD, bytes_of_string("kept"), SLOT(0), &exchange->error));
    assert_true(find_in(&scene, exchange, "CreateContainer", DIALECT_V1, "{'podSandboxId': 'kept'}", &route));
    assert_string_equal(targets_text(&route, known), "old");
    id_index_forget(id_index, ID_POD, bytes_of_string("kept"), SLOT(0));
    scene_clear(&scene);
}

TEST(a_pull_that_is_for_no_pod_goes_to_the_runtime_of_new_pods)
{
    static const char *const pulls[] = {"{'image': {'image': 'x'}}", "{'image': {'image': '" DIGEST "'}}"};
    struct scene scene;
    assert_true(scene_set(&scene, roles));
    for (size_t i = 0; i < sizeof pulls / sizeof pulls[0]; i++) {
        struct route route;
        assert_true(find_in(&scene, *state, "PullImage", DIALECT_V1, pulls[i], &route));
        assert_string_equal(targets_text(&route, scene.generation.map), "new");
    }
    scene_clear(&scene);
}

TEST(plain_ids_go_where_the_index_says)
{
    struct exchange *exchange = *state;
    struct scene scene;
    struct route route;
    assert_true(scene_set(&scene, roles));
    const struct runtime_map *known = scene.generation.map;
    assert_true(id_index_learn(id_index, ID_POD, bytes_of_string("a"), SLOT(2), &exchange->error));
    assert_true(id_index_learn(id_index, ID_CONTAINER, bytes_of_string("a"), SLOT(0), &exchange->error));
    assert_true(id_index_learn(id_index, ID_POD, bytes_of_string("removed"), 77, &exchange->error));
    assert_true(find_in(&scene, exchange, "StopPodSandbox", DIALECT_V1, "{'podSandboxId': 'a'}", &route));
    assert_string_equal(targets_text(&route, known), "new");
    assert_false(route.must_find_owner);
    assert_true(find_in(&scene, exchange, "StopContainer", DIALECT_V1_9, "{'containerId': 'a'}", &route));
    assert_string_equal(targets_text(&route, known), "old");
    assert_true(find_in(&scene, exchange, "StopContainer", DIALECT_V1_9, "{'containerId': 'vm__a'}", &route));
    assert_string_equal(targets_text(&route, known), "vm");
    /* Nobody is asked blindly: not for an id that is unknown, and not for one of a runtime that is in the map no more. */
    static const char *const unknown[] = {"b", "removed", "old__a", "main__a"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        char request[64];
        snprintf(request, sizeof request, "{'podSandboxId': '%s'}", unknown[i]);
        assert_true(find_in(&scene, exchange, "PodSandboxStatus", DIALECT_V1, request, &route));
        assert_true(route.must_find_owner);
        assert_int_equal(route.kind, ID_POD);
        assert_true(bytes_equal(route.id, bytes_of_string(unknown[i])));
        assert_string_equal(targets_text(&route, known), "main old new");
    }
    /* Unless a search has shown whose the one id is that begins with that. */
    struct bytes request = exchange_request_bytes(exchange, "PodSandboxStatus", DIALECT_V1, "{'podSandboxId': 'b'}");
    struct route_view view = view_of(&scene, "PodSandboxStatus", DIALECT_V1, request, exchange->arena);
    view.beginning = bytes_of_string("b");
    view.beginning_slot = SLOT(2);
    assert_true(route_find(&view, &route, &exchange->error));
    assert_string_equal(targets_text(&route, known), known->runtimes[2].name);
    assert_false(route.must_find_owner);
    view.beginning = bytes_of_string("c");
    assert_true(route_find(&view, &route, &exchange->error));
    assert_true(route.must_find_owner);
    view.beginning = (struct bytes){0};
    /* The primary says that there is no such thing. */
    view.nobody_holds_id = true;
    assert_true(route_find(&view, &route, &exchange->error));
    assert_string_equal(targets_text(&route, known), "main");
    assert_false(route.must_find_owner);
    assert_true(find_in(&scene, exchange, "PodSandboxStatus", DIALECT_V1, "{}", &route));
    assert_string_equal(targets_text(&route, known), "main");
    assert_false(route.must_find_owner);
    scene_clear(&scene);
    id_index_forget_runtime(id_index, SLOT(0));
    id_index_forget_runtime(id_index, SLOT(2));
    id_index_forget_runtime(id_index, 77);
}

TEST(a_disputed_id_goes_nowhere)
{
    struct exchange *exchange = *state;
    struct scene scene;
    struct route route;
    assert_true(scene_set(&scene, roles));
    assert_true(id_index_learn(id_index, ID_POD, bytes_of_string("twice"), SLOT(2), &exchange->error));
    assert_false(id_index_learn(id_index, ID_POD, bytes_of_string("twice"), SLOT(1), &exchange->error));
    assert_false(find_in(&scene, exchange, "StopPodSandbox", DIALECT_V1, "{'podSandboxId': 'twice'}", &route));
    assert_int_equal(exchange->error.code, STATUS_FAILED_PRECONDITION);
    assert_string_equal(exchange->error.message, "two runtimes claim twice; neither is asked");
    scene_clear(&scene);
    id_index_forget_runtime(id_index, SLOT(1));
    id_index_forget_runtime(id_index, SLOT(2));
}

TEST(filters_by_plain_ids_ask_all_with_plain_ids)
{
    static const struct {
        const char *request, *targets;
    } filters[] = {
        {"{}", "main old new vm"},
        {"{'filter': {'id': 'c'}}", "main old new"},
        {"{'filter': {'podSandboxId': 'p'}}", "main old new"},
        {"{'filter': {'id': 'c', 'podSandboxId': 'p'}}", "main old new"},
        {"{'filter': {'id': 'vm__c', 'podSandboxId': 'p'}}", ""},
        {"{'filter': {'id': 'vm__c'}}", "vm"},
    };
    struct scene scene;
    struct route route;
    assert_true(scene_set(&scene, roles));
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        assert_true(find_in(&scene, *state, "ListContainers", DIALECT_V1, filters[i].request, &route));
        assert_string_equal(targets_text(&route, scene.generation.map), filters[i].targets);
        assert_false(route.must_find_owner);
    }
    scene_clear(&scene);
}

TEST(one_runtime_with_plain_ids_needs_no_index)
{
    static const char others[] = "listen: /run/l.sock\n"
                                 "runtimes:\n"
                                 "- {name: main, endpoint: /run/m.sock, primary: true, ids: prefixed}\n"
                                 "- {name: plain, endpoint: /run/p.sock, ids: plain}\n";
    struct scene scene;
    struct route route;
    assert_true(scene_set(&scene, others));
    assert_true(find_in(&scene, *state, "StopPodSandbox", DIALECT_V1, "{'podSandboxId': 'never-seen'}", &route));
    assert_string_equal(targets_text(&route, scene.generation.map), "plain");
    assert_false(route.must_find_owner);
    assert_true(find_in(&scene, *state, "StopPodSandbox", DIALECT_V1, "{'podSandboxId': 'main__p'}", &route));
    assert_string_equal(targets_text(&route, scene.generation.map), "main");
    scene_clear(&scene);
}

/* ---- images of pods that were made here ---- */

TEST(an_image_is_pulled_where_its_pod_is)
{
    struct exchange *exchange = *state;
    struct route route;
    static const char of_pod[] = "{'image': {'image': 'x'}, 'sandboxConfig': {'metadata': {'uid': 'u1'}}}";
    static const char of_other[] = "{'image': {'image': 'x'}, 'sandboxConfig': {'metadata': {'uid': 'u2'}}}";
    pod_places_remember(pod_places, bytes_of_string("u1"), SLOT(0));
    pod_places_remember(pod_places, bytes_of_string("u3"), 77);
    for (int dialect = 0; dialect < DIALECT_COUNT; dialect++) {
        assert_true(find(exchange, "PullImage", (enum dialect)dialect, of_pod, &route));
        assert_string_equal(targets_text(&route, map), "vm");
        assert_true(find(exchange, "PullImage", (enum dialect)dialect, of_other, &route));
        assert_string_equal(targets_text(&route, map), "containerd");
    }
    /* A word of the request's own goes before it. */
    assert_true(find(exchange, "PullImage", DIALECT_V1,
                     "{'sandboxConfig': {'metadata': {'uid': 'u1'}, 'annotations': {" TO("kata") "}}}", &route));
    assert_string_equal(targets_text(&route, map), "kata");
    /* Its runtime is in the map no more. */
    assert_true(find(exchange, "PullImage", DIALECT_V1, "{'sandboxConfig': {'metadata': {'uid': 'u3'}}}", &route));
    assert_string_equal(targets_text(&route, map), "containerd");
}

TEST(malformed_requests_have_a_route_and_are_refused_later)
{
    struct exchange *exchange = *state;
    struct route route;
    static const char *const methods_tried[] = {"RunPodSandbox", "ListContainers", "PullImage", "StopPodSandbox"};
    for (size_t i = 0; i < 4; i++) {
        struct route_view view = view_of(&usual, methods_tried[i], DIALECT_V1, BYTES(0xFF, 0xFF), exchange->arena);
        assert_true(route_find(&view, &route, &exchange->error));
        assert_true(route.count >= 1);
    }
}

TEST(no_memory_is_resource_exhausted)
{
    struct arena *small = arena_new(4);
    struct route route;
    struct error error = {0};
    struct route_view view = view_of(&usual, "Version", DIALECT_V1, bytes_of(NULL, 0), small);
    assert_false(route_find(&view, &route, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(small);
}
