/* The runtime map and the unit that an install writes, and whether those that are there fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/map/load.h"
#include "core/map/shim.h"
#include "node/deploy/map_file.h"
#include "node/deploy/shipped.h"
#include "node/deploy/unit_file.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

static struct error error;

static int begin(void **state)
{
    error = (struct error){0};
    return arena_begin(state);
}

#define CONTAINERD "unix:///run/containerd/containerd.sock"
#define CRIGATE "unix:///run/crigate/crigate.sock"

static const struct wanted_runtime containerd[] = {{"containerd", CONTAINERD, NULL}};
static const struct wanted_map of_containerd = {.listen = CRIGATE, .runtimes = containerd, .runtime_count = 1};

/* The text of a map that is wanted. */
static const char *text_of(const struct wanted_map *wanted)
{
    struct bytes text;
    if (!map_file_text(wanted, arena, &text, &error)) {
        fail_msg("%s", error.message);
    }
    return (const char *)text.data;
}

static struct runtime_map *load(const char *text)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load_from(&(struct runtime_map_source){.path = "test", .text = text}, &problems);
    assert_int_equal(problems.errors, 0);
    runtime_map_problems_clear(&problems);
    assert_non_null(map);
    return map;
}

/* Whether the map of that text fits; the error has why not. */
static bool fits(const char *text, const struct wanted_map *wanted)
{
    struct runtime_map *map = load(text);
    bool fit = map_file_fits(map, wanted, &error);
    runtime_map_free(map);
    return fit;
}

EACH_TEST(begin, arena_end)

TEST(the_map_has_the_runtime_as_its_primary)
{
    struct runtime_map *map = load(text_of(&of_containerd));
    assert_string_equal(map->listen.address, CRIGATE);
    assert_null(map->listen.callers);
    assert_int_equal(map->runtime_count, 1);
    assert_string_equal(map->runtimes[map->primary].name, "containerd");
    assert_string_equal(map->runtimes[map->primary].endpoint, CONTAINERD);
    assert_string_equal(map->runtimes[map->primary].image_endpoint, CONTAINERD);
    assert_true(map->runtimes[map->primary].plain_ids);
    runtime_map_free(map);
}

TEST(the_map_has_what_an_old_kubelet_needs)
{
    static const struct wanted_runtime runtimes[] = {{"cri-o", "unix:///run/crio/crio.sock", "unix:///run/images.sock"},
                                                     {"virtlet.cloud", "unix:///run/virtlet.sock", NULL}};
    const struct wanted_map wanted = {
        .listen = "unix:///run/crigate/run/crio/crio.sock", .callers = "1.10", .runtimes = runtimes, .runtime_count = 2};
    struct runtime_map *map = load(text_of(&wanted));
    assert_string_equal(map->listen.address, wanted.listen);
    assert_true(map->listen.callers_lack_masked_paths);
    assert_string_equal(map->runtimes[map->primary].image_endpoint, "unix:///run/images.sock");
    const struct runtime_entry *other = runtime_map_find(map, bytes_of_string("virtlet.cloud"));
    assert_non_null(other);
    assert_false(other->plain_ids);
    assert_false(other->primary);
    runtime_map_free(map);
}

TEST(a_path_cannot_add_keys_to_the_map)
{
    static const struct wanted_runtime runtimes[] = {{"containerd", "unix:///run/a\"\n    hooks: false\n#\\.sock", NULL}};
    const struct wanted_map wanted = {.listen = CRIGATE, .runtimes = runtimes, .runtime_count = 1};
    struct bytes text;
    if (map_file_text(&wanted, arena, &text, &error)) {
        struct runtime_map *map = load((const char *)text.data);
        assert_string_equal(map->runtimes[0].endpoint, runtimes[0].endpoint);
        assert_true(map->runtimes[0].hooks);
        runtime_map_free(map);
    } else {
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    }
}

TEST(a_name_that_crigate_does_not_take_is_refused)
{
    static const struct wanted_runtime runtimes[] = {{"a__b", CONTAINERD, NULL}};
    const struct wanted_map wanted = {.listen = CRIGATE, .runtimes = runtimes, .runtime_count = 1};
    struct bytes text;
    assert_false(map_file_text(&wanted, arena, &text, &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "a__b"));
}

TEST(the_map_of_the_package_fits_a_node_with_containerd)
{
    const char *text = arena_string(arena, shipped_map);
    assert_true(fits(text, &of_containerd));
}

TEST(a_map_with_more_fits)
{
    assert_true(fits("listen: " CRIGATE "\nruntimes:\n  - {name: virtlet.cloud, endpoint: unix:///run/virtlet.sock}\n"
                     "  - {name: anything, endpoint: " CONTAINERD ", primary: true}\nlimits: {connections: 7}\n",
                     &of_containerd));
}

TEST(a_map_that_lacks_something_does_not_fit)
{
    static const struct wanted_runtime two[] = {{"containerd", CONTAINERD, NULL}, {"v", "unix:///run/virtlet.sock", NULL}};
    static const struct wanted_runtime images[] = {{"containerd", CONTAINERD, "unix:///run/images.sock"}};
    struct wanted_map wanted = of_containerd;
    assert_false(
        fits("listen: unix:///run/other.sock\nruntimes:\n  - {name: c, endpoint: " CONTAINERD ", primary: true}\n", &wanted));
    assert_non_null(strstr(error.message, "listen"));
    assert_false(fits("listen: " CRIGATE "\nruntimes:\n  - {name: c, endpoint: unix:///run/other.sock, primary: true}\n"
                      "  - {name: d, endpoint: " CONTAINERD "}\n",
                      &wanted));
    assert_non_null(strstr(error.message, "primary"));
    assert_false(
        fits("listen: " CRIGATE "\nruntimes:\n  - {name: c, endpoint: " CONTAINERD ", primary: true, ids: prefixed}\n", &wanted));
    assert_non_null(strstr(error.message, "prefixed"));
    wanted.callers = "1.11";
    assert_false(fits(text_of(&of_containerd), &wanted));
    assert_non_null(strstr(error.message, "callers"));
    wanted = (struct wanted_map){.listen = CRIGATE, .runtimes = two, .runtime_count = 2};
    assert_false(fits(text_of(&of_containerd), &wanted));
    assert_non_null(strstr(error.message, "virtlet.sock"));
    wanted = (struct wanted_map){.listen = CRIGATE, .runtimes = images, .runtime_count = 1};
    assert_false(fits(text_of(&of_containerd), &wanted));
    assert_non_null(strstr(error.message, "image"));
}

TEST(two_paths_to_one_socket_are_the_same)
{
    char folder[] = "/tmp/crigate-own-files-XXXXXX", socket_file[64], link[64], other[64];
    assert_non_null(mkdtemp(folder));
    snprintf(socket_file, sizeof socket_file, "unix://%s/a.sock", folder);
    snprintf(link, sizeof link, "%s/b.sock", folder);
    snprintf(other, sizeof other, "%s/c.sock", folder);
    assert_false(same_socket(socket_file, link));
    assert_true(same_socket(socket_file, socket_file + strlen("unix://")));
    FILE *file = fopen(socket_file + strlen("unix://"), "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(symlink("a.sock", link), 0);
    assert_true(same_socket(socket_file, link));
    assert_false(same_socket(socket_file, other));
    unlink(link);
    unlink(socket_file + strlen("unix://"));
    rmdir(folder);
}

TEST(the_unit_starts_the_program_that_runs)
{
    struct bytes text;
    assert_true(unit_file_text("/opt/crigate/bin/crigate", arena, &text, &error));
    const char *unit = arena_string(arena, text);
    assert_non_null(strstr(unit, "\nExecStart=/opt/crigate/bin/crigate --config /etc/crigate/crigate.yaml "));
    assert_non_null(strstr(unit, "\nExecReload=/opt/crigate/bin/crigate reload "));
    assert_null(strstr(unit, "/usr/bin/crigate"));
    /* Nothing else changes. */
    assert_true(unit_file_text("/usr/bin/crigate", arena, &text, &error));
    assert_true(bytes_equal(text, shipped_unit));
}

TEST(a_program_whose_path_means_something_to_systemd_is_refused)
{
    static const char *const paths[] = {"/opt/my crigate",    "/opt/%n", "crigate", "/opt/a;b",
                                        "/opt/$HOME/crigate", "/opt/\"", "/a\nb"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct bytes text;
        assert_false(unit_file_text(paths[i], arena, &text, &error));
        assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    }
}

static bool listens(const char *text)
{
    return unit_file_listens(bytes_of_string(text), CRIGATE);
}

TEST(a_socket_unit_fits_if_it_makes_just_that_socket)
{
    assert_true(listens("[Socket]\nListenStream=/run/crigate/crigate.sock\nSocketMode=0660\n"));
    assert_true(listens("[Socket]\nListenStream= /run/crigate/crigate.sock \r\n"));
    assert_true(listens("ListenStream=/run/crigate/crigate.sock"));
    assert_false(listens("[Socket]\nListenStream=/run/other.sock\n"));
    assert_false(listens("[Socket]\nListenStream=/run/crigate/crigate.sock\nListenStream=/run/other.sock\n"));
    assert_false(listens("[Socket]\nListenStream=/run/crigate/crigate.sock\nListenFIFO=/run/crigate/crigate.sock\n"));
    assert_false(listens("[Socket]\n#ListenStream=/run/crigate/crigate.sock\n"));
    assert_false(listens(""));
}

/* What an install writes there, and waits for, is what the unit reads and makes. */
TEST(the_unit_of_cri_dockerd_goes_with_an_install)
{
    static const char *const parts[] = {"EnvironmentFile=-" DOCKER_SHIM_ENVIRONMENT "\n",
                                        "--container-runtime-endpoint=" DOCKER_SHIM_ENDPOINT, "$$CRI_DOCKERD_FLAGS",
                                        "$${CRI_DOCKERD:-"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!memmem(shipped_docker_unit.data, shipped_docker_unit.len, parts[i], strlen(parts[i]))) {
            fail_msg("the unit lacks %s", parts[i]);
        }
    }
}
