/* Which requests of Docker's API hooks are called for. */
#include "tests/cmocka.h"
#include "translate/docker/route.h"

#define MEMORY ((size_t)1 << 16)

struct found {
    struct arena *arena;
    struct docker_route route;
    struct error error;
    bool good;
};

static struct found read_route(const char *method, const char *target)
{
    struct found found = {.arena = arena_new(MEMORY)};
    assert_non_null(found.arena);
    found.good = docker_route_read(bytes_of_string(method), bytes_of_string(target), found.arena, &found.route, &found.error);
    return found;
}

static void assert_route(const char *method, const char *target, enum docker_route_kind kind, const char *of)
{
    struct found found = read_route(method, target);
    struct bytes text = kind == DOCKER_CREATE ? found.route.name : found.route.container;
    if (!found.good || found.route.kind != kind || !bytes_equal(text, bytes_of_string(of))) {
        fail_msg("%s %s: kind %d of \"%.*s\", %s", method, target, (int)found.route.kind, BYTES_SHOWN(text, 99),
                 found.error.message);
    }
    arena_unref(found.arena);
}

static void assert_refused(const char *method, const char *target)
{
    struct found found = read_route(method, target);
    if (found.good || found.error.code != STATUS_INVALID_ARGUMENT) {
        fail_msg("%s %s: kind %d", method, target, (int)found.route.kind);
    }
    arena_unref(found.arena);
}

TEST(the_hooked_requests)
{
    assert_route("POST", "/containers/create", DOCKER_CREATE, "");
    assert_route("POST", "/v1.41/containers/create?name=k8s_POD_a_b_c_0", DOCKER_CREATE, "k8s_POD_a_b_c_0");
    assert_route("POST", "/v1.24/containers/0123abcd/start", DOCKER_START, "0123abcd");
    assert_route("POST", "/containers/web/stop?t=10", DOCKER_STOP, "web");
    assert_route("POST", "/v1.52/containers/web/update", DOCKER_UPDATE, "web");
    assert_route("DELETE", "/v1.26/containers/web?v=1", DOCKER_REMOVE, "web");
}

TEST(other_requests_pass)
{
    static const char *const posts[] = {
        "*",
        "/",
        "/containers",
        "/containers/",
        "/containers/create/",
        "/containers/start",
        "/containers/web/restart",
        "/containers/web/kill",
        "/containers/web/start/",
        "/containers/prune",
        "/v1.41/v1.41/containers/create",
        "/v/containers/create",
        "/V1.41/containers/create",
        "/v1.41x/containers/create",
        "/Containers/create",
        "/containers/Create",
        "/exec/0123/start",
        "/build?remote=/containers/create",
        "/images/create?name=a&name=b;c",
    };
    for (size_t i = 0; i < sizeof posts / sizeof posts[0]; i++) {
        assert_route("POST", posts[i], DOCKER_OTHER, "");
    }
    assert_route("GET", "/containers/create", DOCKER_OTHER, "");
    assert_route("HEAD", "/containers/web/start", DOCKER_OTHER, "");
    assert_route("post", "/containers/create", DOCKER_OTHER, "");
    assert_route("delete", "/containers/web", DOCKER_OTHER, "");
    assert_route("PUT", "/containers/web/archive", DOCKER_OTHER, "");
}

TEST(paths_are_decoded_and_cleaned)
{
    assert_route("POST", "/v1.41//containers/%63reate?name=x", DOCKER_CREATE, "x");
    assert_route("POST", "/containers%2Fcreate", DOCKER_CREATE, "");
    assert_route("POST", "//containers/./create", DOCKER_CREATE, "");
    assert_route("POST", "/images/../containers/create", DOCKER_CREATE, "");
    assert_route("POST", "/../../containers/create", DOCKER_CREATE, "");
    assert_route("POST", "/%2e%2e/containers/create", DOCKER_CREATE, "");
    assert_route("POST", "/containers/a/../../containers/b/stop", DOCKER_STOP, "b");
    assert_route("POST", "/containers/a%20b/stop", DOCKER_STOP, "a b");
    assert_route("POST", "/containers/a+b/stop", DOCKER_STOP, "a+b");
    assert_route("POST", "/v1..41./containers/create", DOCKER_CREATE, "");
}

TEST(names_of_containers_may_hold_slashes)
{
    assert_route("POST", "/containers/web/alias/stop", DOCKER_STOP, "web/alias");
    assert_route("POST", "/containers/a/start/stop", DOCKER_STOP, "a/start");
    assert_route("POST", "/containers/create/update", DOCKER_UPDATE, "create");
    assert_route("DELETE", "/containers/web/alias", DOCKER_REMOVE, "web/alias");
}

TEST(names_in_the_query)
{
    assert_route("POST", "/containers/create?platform=&name=a%5Fb", DOCKER_CREATE, "a_b");
    assert_route("POST", "/containers/create?n%61me=a+b&x", DOCKER_CREATE, "a b");
    assert_route("POST", "/containers/create?name", DOCKER_CREATE, "");
    assert_route("POST", "/containers/create?names=a&Name=b", DOCKER_CREATE, "");
    assert_route("POST", "/containers/create?name=a=b", DOCKER_CREATE, "a=b");
    assert_route("POST", "/containers/create?name=a?name=b", DOCKER_CREATE, "a?name=b");
}

TEST(what_could_be_read_differently_is_refused)
{
    assert_refused("POST", "/containers/create?name=a&name=b");
    assert_refused("POST", "/containers/create?name=a&n%61me=a");
    assert_refused("POST", "/containers/create?x=1;name=a");
    assert_refused("POST", "/containers/create?name=%zz");
    assert_refused("POST", "/containers/create?x=%");
    assert_refused("POST", "/containers/%6/stop");
    assert_refused("GET", "/containers/%");
    assert_refused("POST", "containers/create");
    assert_refused("POST", "http://docker/containers/create");
    assert_refused("POST", "");
}

TEST(without_memory)
{
    struct docker_route route;
    struct error error = {0};
    struct arena *arena = arena_new(8);
    assert_non_null(arena);
    assert_false(docker_route_read(bytes_of_string("POST"), bytes_of_string("/containers/create"), arena, &route, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(arena);
}
