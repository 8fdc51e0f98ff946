/* Names between a caller's view of the node and one runtime's. */
#include "core/runtimes/name_map.h"
#include "tests/cmocka.h"
#include "tests/unit/core/map/map_fixture.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { CONTAINERD, VIRTLET, KATA, DOCKER };

static const char file[] =
    "listen: /run/l.sock\n"
    "runtimes:\n"
    "- {name: containerd, endpoint: /run/c.sock, primary: true}\n"
    "- {name: virtlet.cloud, endpoint: /run/v.sock, stream_url: \"http://127.0.0.1:10010\"}\n"
    "- {name: kata, endpoint: /run/k.sock, image_prefix: kata, handlers: {kata: \"\", kata-fc: firecracker}}\n"
    "- {name: docker, endpoint: /run/d.sock, ids: plain}\n";

struct fixture {
    struct runtime_map *map;
    struct arena *arena;
};

static int begin(void **state)
{
    static struct fixture fixture;
    struct runtime_map_problems problems;
    fixture.map = runtime_map_parse("f", file, strlen(file), &problems);
    fixture.arena = arena_new((size_t)1024 * 1024);
    if (!fixture.map) {
        runtime_map_problems_print(&problems, "f", stderr);
    }
    runtime_map_problems_clear(&problems);
    *state = &fixture;
    return fixture.map && fixture.arena ? 0 : -1;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    runtime_map_free(fixture->map);
    arena_unref(fixture->arena);
    return 0;
}

struct row {
    size_t runtime;
    enum name_kind kind;
    const char *name;
    const char *mapped; /* NULL: refused */
    enum status_code code;
};

/* What walks do: kinds that the map does not claim are not asked for. */
static bool map_name(const struct names *names, const struct row *row, bool carried, struct arena *arena, struct bytes *mapped,
                     struct error *error)
{
    *mapped = bytes_of_string(row->name);
    if (!(names->kinds >> row->kind & 1U)) {
        return true;
    }
    struct bytes name = *mapped;
    struct mapped_name parts;
    if (!names->map(names->state, row->kind, carried, name, arena, &parts, error)) {
        return false;
    }
    struct bytes front = names->fronts[row->kind];
    assert_true(front.len == 0 || name.len == 0 || (bytes_equal(parts.front, front) && bytes_equal(parts.rest, name)));
    assert_true(parts.rest.len == 0 || parts.rest.data + parts.rest.len == name.data + name.len);
    *mapped = arena_join(arena, (struct bytes[]){parts.front, parts.rest}, 2);
    return true;
}

static void check(const struct fixture *fixture, const struct name_map *name_map, const struct row *row)
{
    struct bytes mapped;
    struct error error = {0};
    bool done = map_name(&name_map->names, row, true, fixture->arena, &mapped, &error);
    if (done != (row->mapped != NULL)) {
        fail_msg("\"%s\" for runtime %zu: %s", row->name, row->runtime, done ? "taken" : error.message);
    }
    if (done && !bytes_equal(mapped, bytes_of_string(row->mapped))) {
        fail_msg("\"%s\" for runtime %zu is \"%.*s\"", row->name, row->runtime, (int)mapped.len, (const char *)mapped.data);
    }
    assert_int_equal(error.code, done ? STATUS_OK : row->code);
}

static const struct row requests[] = {
    {CONTAINERD, NAME_POD, "abc", "abc", STATUS_OK},
    {CONTAINERD, NAME_POD, "", "", STATUS_OK},
    {CONTAINERD, NAME_POD, "kata__abc", NULL, STATUS_INVALID_ARGUMENT},
    {VIRTLET, NAME_POD, "virtlet.cloud__abc", "abc", STATUS_OK},
    {VIRTLET, NAME_CONTAINER, "virtlet.cloud__abc", "abc", STATUS_OK},
    {VIRTLET, NAME_CONTAINER, "", "", STATUS_OK},
    {VIRTLET, NAME_CONTAINER, "abc", NULL, STATUS_INVALID_ARGUMENT},
    {VIRTLET, NAME_CONTAINER, "kata__abc", NULL, STATUS_INVALID_ARGUMENT},
    /* Plain ids can be anybody's who has them: whose, is not told by the id. */
    {DOCKER, NAME_POD, "abc", "abc", STATUS_OK},
    {DOCKER, NAME_CONTAINER, "docker__abc", "docker__abc", STATUS_OK},
    {DOCKER, NAME_CONTAINER, "kata__abc", NULL, STATUS_INVALID_ARGUMENT},
    {CONTAINERD, NAME_CONTAINER, "docker__abc", "docker__abc", STATUS_OK},
    {KATA, NAME_CONTAINER, "docker__abc", NULL, STATUS_INVALID_ARGUMENT},
    {DOCKER, NAME_IMAGE, "busybox", "busybox", STATUS_OK},
    {DOCKER, NAME_IMAGE, "docker/busybox", "docker/busybox", STATUS_OK},
    {CONTAINERD, NAME_IMAGE, "busybox", "busybox", STATUS_OK},
    {CONTAINERD, NAME_IMAGE, "kata/busybox", NULL, STATUS_FAILED_PRECONDITION},
    {KATA, NAME_IMAGE, "kata/busybox", "busybox", STATUS_OK},
    {KATA, NAME_IMAGE, "docker.io/kata/busybox", "busybox", STATUS_OK},
    {KATA, NAME_IMAGE, "docker-pullable://kata/busybox", "docker-pullable://busybox", STATUS_OK},
    {KATA, NAME_IMAGE, "busybox", "busybox", STATUS_OK},
    {KATA, NAME_IMAGE, "sha256:" DIGEST, "sha256:" DIGEST, STATUS_OK},
    {KATA, NAME_IMAGE, "virtlet.cloud/cirros", NULL, STATUS_FAILED_PRECONDITION},
    {KATA, NAME_IMAGE, "", "", STATUS_OK},
    {KATA, NAME_HANDLER, "kata", "", STATUS_OK},
    {KATA, NAME_HANDLER, "kata-fc", "firecracker", STATUS_OK},
    {KATA, NAME_HANDLER, "other", "other", STATUS_OK},
    {CONTAINERD, NAME_HANDLER, "kata", "kata", STATUS_OK},
};

ALL_TESTS(begin, end)

TEST(requests_speak_of_the_runtimes_own_names)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct name_map name_map;
        name_map_for_request(&name_map, fixture->map, requests[i].runtime);
        check(fixture, &name_map, &requests[i]);
    }
}

static const struct row bare_requests[] = {
    {KATA, NAME_IMAGE, "sha256:" DIGEST, DIGEST, STATUS_OK},
    {KATA, NAME_IMAGE, DIGEST, DIGEST, STATUS_OK},
    {KATA, NAME_IMAGE, "busybox@sha256:" DIGEST, "busybox@sha256:" DIGEST, STATUS_OK},
    {KATA, NAME_IMAGE, "sha256:abc", "sha256:abc", STATUS_OK},
    {KATA, NAME_IMAGE, "kata/busybox", "busybox", STATUS_OK},
    {CONTAINERD, NAME_IMAGE, "sha256:" DIGEST, DIGEST, STATUS_OK},
};

TEST(a_runtime_of_bare_image_ids_gets_the_digits_alone)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof bare_requests / sizeof bare_requests[0]; i++) {
        struct name_map name_map;
        name_map_for_request(&name_map, fixture->map, bare_requests[i].runtime);
        name_map_write_bare_image_ids(&name_map);
        check(fixture, &name_map, &bare_requests[i]);
    }
}

static const struct row responses[] = {
    {CONTAINERD, NAME_POD, "abc", "abc", STATUS_OK},
    {CONTAINERD, NAME_IMAGE, "busybox", "busybox", STATUS_OK},
    {CONTAINERD, NAME_STREAM_URL, "/cri/exec/t", "/cri/exec/t", STATUS_OK},
    {DOCKER, NAME_POD, "abc", "abc", STATUS_OK},
    {DOCKER, NAME_CONTAINER, "docker__abc", "docker__abc", STATUS_OK},
    {DOCKER, NAME_IMAGE, "busybox", "busybox", STATUS_OK},
    {CONTAINERD, NAME_CONTAINER, "kata__", "kata__", STATUS_OK},
    {CONTAINERD, NAME_CONTAINER, "containerd__abc", "containerd__abc", STATUS_OK},
    {CONTAINERD, NAME_CONTAINER, "a kata__abc", "a kata__abc", STATUS_OK},
    {VIRTLET, NAME_POD, "kata__abc", "virtlet.cloud__kata__abc", STATUS_OK},
    {VIRTLET, NAME_POD, "abc", "virtlet.cloud__abc", STATUS_OK},
    {VIRTLET, NAME_POD, "", "", STATUS_OK},
    {VIRTLET, NAME_CONTAINER, "virtlet.cloud__abc", "virtlet.cloud__virtlet.cloud__abc", STATUS_OK},
    {VIRTLET, NAME_IMAGE, "cirros:latest", "virtlet.cloud/cirros:latest", STATUS_OK},
    {VIRTLET, NAME_IMAGE, "cirros@sha256:" DIGEST, "virtlet.cloud/cirros@sha256:" DIGEST, STATUS_OK},
    {VIRTLET, NAME_IMAGE, "docker-pullable://cirros@sha256:" DIGEST, "docker-pullable://virtlet.cloud/cirros@sha256:" DIGEST,
     STATUS_OK},
    {VIRTLET, NAME_IMAGE, "virtlet.cloud/cirros", "virtlet.cloud/cirros", STATUS_OK},
    {VIRTLET, NAME_IMAGE, "sha256:" DIGEST, "sha256:" DIGEST, STATUS_OK},
    {VIRTLET, NAME_IMAGE, DIGEST, DIGEST, STATUS_OK},
    {VIRTLET, NAME_IMAGE, "<none>:<none>", "<none>:<none>", STATUS_OK},
    {VIRTLET, NAME_IMAGE, "", "", STATUS_OK},
    {VIRTLET, NAME_STREAM_URL, "/cri/exec/t", "http://127.0.0.1:10010/cri/exec/t", STATUS_OK},
    {VIRTLET, NAME_STREAM_URL, "//[::]:10250/exec/t", "//[::]:10250/exec/t", STATUS_OK},
    {VIRTLET, NAME_STREAM_URL, "http://10.0.0.1:1/x", "http://10.0.0.1:1/x", STATUS_OK},
    {VIRTLET, NAME_STREAM_URL, "/", "http://127.0.0.1:10010/", STATUS_OK},
    {VIRTLET, NAME_STREAM_URL, "", "", STATUS_OK},
    {KATA, NAME_STREAM_URL, "/cri/exec/t", "/cri/exec/t", STATUS_OK},
    {KATA, NAME_HANDLER, "firecracker", "kata-fc", STATUS_OK},
    {KATA, NAME_HANDLER, "", "", STATUS_OK},
    {KATA, NAME_HANDLER, "other", "other", STATUS_OK},
};

TEST(responses_speak_of_the_nodes_names)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof responses / sizeof responses[0]; i++) {
        struct name_map name_map;
        name_map_for_response(&name_map, fixture->map, responses[i].runtime, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
        check(fixture, &name_map, &responses[i]);
    }
}

/* What a response says, a later request can say back. */
TEST(names_go_round)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof responses / sizeof responses[0]; i++) {
        const struct row *row = &responses[i];
        if (row->kind == NAME_STREAM_URL || row->kind == NAME_HANDLER || strncmp(row->name, "virtlet.cloud/", 14) == 0) {
            continue;
        }
        struct name_map back;
        name_map_for_request(&back, fixture->map, row->runtime);
        const struct row again = {row->runtime, row->kind, row->mapped, row->name, STATUS_OK};
        check(fixture, &back, &again);
    }
}

/* What is known of an id: the slot of its holder, or -1. */
static int holder(const struct id_index *index, enum id_kind kind, const char *id)
{
    unsigned slot;
    return id_index_find(index, kind, bytes_of_string(id), &slot) == ID_HELD ? (int)slot : -1;
}

TEST(plain_ids_of_responses_are_learned)
{
    const struct fixture *fixture = *state;
    enum { SLOT = 7, OTHER_SLOT = 9 };
    struct id_index *index = id_index_new();
    struct name_map name_map;
    name_map_for_response(&name_map, fixture->map, DOCKER, index, SLOT, (1U << ID_POD) | (1U << ID_CONTAINER));
    check(fixture, &name_map, &(struct row){DOCKER, NAME_POD, "p", "p", STATUS_OK});
    check(fixture, &name_map, &(struct row){DOCKER, NAME_CONTAINER, "c", "c", STATUS_OK});
    check(fixture, &name_map, &(struct row){DOCKER, NAME_POD, "", "", STATUS_OK});
    check(fixture, &name_map, &(struct row){DOCKER, NAME_IMAGE, "x", "x", STATUS_OK});
    assert_int_equal(holder(index, ID_POD, "p"), SLOT);
    assert_int_equal(holder(index, ID_CONTAINER, "c"), SLOT);
    assert_int_equal(holder(index, ID_CONTAINER, "p"), -1);
    assert_int_equal(holder(index, ID_POD, "x"), -1);
    /* A beginning that is echoed is no id. */
    name_map.beginning = bytes_of_string("short");
    check(fixture, &name_map, &(struct row){DOCKER, NAME_POD, "short", "short", STATUS_OK});
    check(fixture, &name_map, &(struct row){DOCKER, NAME_POD, "shorter", "shorter", STATUS_OK});
    assert_int_equal(holder(index, ID_POD, "short"), -1);
    assert_int_equal(holder(index, ID_POD, "shorter"), SLOT);
    /* Those with a prefix need not be remembered. */
    name_map_for_response(&name_map, fixture->map, VIRTLET, index, OTHER_SLOT, (1U << ID_POD) | (1U << ID_CONTAINER));
    check(fixture, &name_map, &(struct row){VIRTLET, NAME_POD, "q", "virtlet.cloud__q", STATUS_OK});
    check(fixture, &name_map, &(struct row){VIRTLET, NAME_POD, "p", "virtlet.cloud__p", STATUS_OK});
    assert_int_equal(holder(index, ID_POD, "q"), -1);
    assert_int_equal(holder(index, ID_POD, "p"), SLOT);
    id_index_free(index);
}

TEST(an_id_that_another_runtime_holds_is_refused)
{
    const struct fixture *fixture = *state;
    struct id_index *index = id_index_new();
    struct name_map docker, containerd;
    name_map_for_response(&docker, fixture->map, DOCKER, index, 1, (1U << ID_POD) | (1U << ID_CONTAINER));
    name_map_for_response(&containerd, fixture->map, CONTAINERD, index, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    check(fixture, &docker, &(struct row){DOCKER, NAME_POD, "p", "p", STATUS_OK});
    check(fixture, &containerd, &(struct row){CONTAINERD, NAME_CONTAINER, "p", "p", STATUS_OK});
    check(fixture, &containerd, &(struct row){CONTAINERD, NAME_POD, "p", NULL, STATUS_ABORTED});
    unsigned slot;
    assert_int_equal(id_index_find(index, ID_POD, bytes_of_string("p"), &slot), ID_DISPUTED);
    /* An id that finds no room in the index still passes; it is searched for when it is needed. */
    static char id[ID_INDEX_LONGEST + 2];
    memset(id, 'a', sizeof id - 1);
    check(fixture, &docker, &(struct row){DOCKER, NAME_POD, id, id, STATUS_OK});
    assert_int_equal(holder(index, ID_POD, id), -1);
    id_index_free(index);
}

TEST(a_plain_id_with_a_prefix_is_another_runtimes)
{
    const struct fixture *fixture = *state;
    struct id_index *index = id_index_new();
    static const size_t plain[] = {CONTAINERD, DOCKER};
    for (size_t i = 0; i < 4; i++) {
        struct name_map name_map;
        name_map_for_response(&name_map, fixture->map, plain[i / 2], i % 2 ? index : NULL, 0, 0);
        check(fixture, &name_map, &(struct row){plain[i / 2], NAME_POD, "kata__abc", NULL, STATUS_ABORTED});
        check(fixture, &name_map, &(struct row){plain[i / 2], NAME_CONTAINER, "virtlet.cloud__abc", NULL, STATUS_ABORTED});
    }
    assert_int_equal(holder(index, ID_POD, "kata__abc"), -1);
    id_index_free(index);
}

TEST(without_prefixes_plain_ids_are_not_looked_at)
{
    static const char text[] = "listen: /run/l.sock\n"
                               "runtimes:\n"
                               "- {name: containerd, endpoint: /run/c.sock, primary: true}\n"
                               "- {name: docker, endpoint: /run/d.sock, ids: plain}\n";
    struct runtime_map_problems problems;
    struct runtime_map *map = runtime_map_parse("f", text, strlen(text), &problems);
    assert_non_null(map);
    for (size_t runtime = 0; runtime < 2; runtime++) {
        struct name_map name_map;
        name_map_for_response(&name_map, map, runtime, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
        assert_int_equal(name_map.names.kinds, 0);
    }
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
}

/* Messages need no walk for names that are the same. */
TEST(kinds_that_are_the_same_are_not_claimed)
{
    const struct fixture *fixture = *state;
    struct name_map name_map;
    name_map_for_response(&name_map, fixture->map, CONTAINERD, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    assert_int_equal(name_map.names.kinds, 1U << NAME_POD | 1U << NAME_CONTAINER);
    name_map_for_response(&name_map, fixture->map, VIRTLET, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    assert_int_equal(name_map.names.kinds, 1U << NAME_POD | 1U << NAME_CONTAINER | 1U << NAME_IMAGE | 1U << NAME_STREAM_URL);
    name_map_for_response(&name_map, fixture->map, KATA, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    assert_int_equal(name_map.names.kinds, 1U << NAME_POD | 1U << NAME_CONTAINER | 1U << NAME_IMAGE | 1U << NAME_HANDLER);
    name_map_for_response(&name_map, fixture->map, DOCKER, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    assert_int_equal(name_map.names.kinds, 1U << NAME_POD | 1U << NAME_CONTAINER);
    struct id_index *index = id_index_new();
    name_map_for_response(&name_map, fixture->map, CONTAINERD, index, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    assert_int_equal(name_map.names.kinds, 1U << NAME_POD | 1U << NAME_CONTAINER);
    id_index_free(index);
}

TEST(a_listed_handler_needs_no_field)
{
    const struct fixture *fixture = *state;
    static const struct {
        size_t runtime;
        const char *handler, *left;
    } rows[] = {{KATA, "kata-fc", ""}, {KATA, "kata", ""}, {KATA, "other", "other"}, {CONTAINERD, "kata", "kata"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct name_map name_map;
        name_map_for_request(&name_map, fixture->map, rows[i].runtime);
        struct bytes mapped;
        struct error error = {0};
        const struct row row = {.kind = NAME_HANDLER, .name = rows[i].handler};
        assert_true(map_name(&name_map.names, &row, false, fixture->arena, &mapped, &error));
        assert_true(bytes_equal(mapped, bytes_of_string(rows[i].left)));
    }
}

TEST(long_and_odd_names_neither_overflow_nor_get_lost)
{
    const struct fixture *fixture = *state;
    static char id[100000];
    memset(id, '\n', sizeof id);
    struct name_map name_map;
    struct mapped_name mapped;
    struct error error = {0};
    name_map_for_response(&name_map, fixture->map, VIRTLET, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    assert_true(
        name_map.names.map(name_map.names.state, NAME_POD, true, bytes_of(id, sizeof id), fixture->arena, &mapped, &error));
    assert_int_equal(mapped.front.len + mapped.rest.len, sizeof id + strlen("virtlet.cloud__"));
    name_map_for_request(&name_map, fixture->map, VIRTLET);
    assert_false(
        name_map.names.map(name_map.names.state, NAME_POD, true, bytes_of(id, sizeof id), fixture->arena, &mapped, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_true(strlen(error.message) < 300);
    struct arena *small = arena_new(4);
    name_map_for_response(&name_map, fixture->map, KATA, NULL, 0, (1U << ID_POD) | (1U << ID_CONTAINER));
    struct bytes image = bytes_of_string("docker-pullable://busybox");
    assert_false(name_map.names.map(name_map.names.state, NAME_IMAGE, true, image, small, &mapped, &error));
    assert_int_equal(error.code, STATUS_RESOURCE_EXHAUSTED);
    arena_unref(small);
}
