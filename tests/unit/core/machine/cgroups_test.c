/* The working sets of containers, read from folders that look like cgroups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine/cgroups.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A folder that looks like a hierarchy. */
struct fake {
    char folder[FOLDER_SIZE];
    struct cgroup_hierarchy hierarchy;
};

static int begin(void **state)
{
    struct fake *fake = calloc(1, sizeof *fake);
    assert_non_null(fake);
    assert_int_equal(make_folder(fake->folder), 0);
    fake->hierarchy = (struct cgroup_hierarchy){
        .root = open(fake->folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
        .usage = "memory.current",
        .stat = "memory.stat",
        .cache = "inactive_file",
    };
    assert_true(fake->hierarchy.root >= 0);
    *state = fake;
    return 0;
}

static int end(void **state)
{
    struct fake *fake = *state;
    assert_int_equal(remove_folder(fake->folder), 0);
    close(fake->hierarchy.root);
    free(fake);
    return 0;
}

/* Makes the folders of a path. */
static void make_folders(const struct fake *fake, const char *path)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", fake->folder, path);
    for (char *slash = whole + strlen(fake->folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    mkdir(whole, 0755);
}

static void write_file(const struct fake *fake, const char *path, const char *name, const char *content)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s/%s", fake->folder, path, name);
    write_text(whole, content);
}

static void make_cgroup(const struct fake *fake, const char *path, const char *usage, const char *statistics)
{
    make_folders(fake, path);
    write_file(fake, path, "memory.current", usage);
    write_file(fake, path, "memory.stat", statistics);
}

/* Whether the memory of a container at that path is known. */
static bool read_one(const struct fake *fake, const char *path, uint64_t *working_set)
{
    const char *const paths[] = {path};
    struct container_memory container = {.cgroups = paths, .count = 1};
    cgroups_read(&fake->hierarchy, &container, 1);
    *working_set = container.working_set;
    return container.known;
}

EACH_TEST(begin, end)

TEST(the_working_set_is_usage_without_inactive_cache)
{
    uint64_t working_set;
    make_cgroup(*state, "docker/" ID, "1000000\n", "anon 7\nactive_file 3\ninactive_file 300000\nworkingset_refault_file 9\n");
    assert_true(read_one(*state, "docker/" ID, &working_set));
    assert_int_equal(working_set, 700000);
    make_cgroup(*state, "docker/" ID, "10\n", "inactive_file 11\n");
    assert_true(read_one(*state, "docker/" ID, &working_set));
    assert_int_equal(working_set, 0);
    make_cgroup(*state, "docker/" ID, "18446744073709551615\n", "inactive_file 0");
    assert_true(read_one(*state, "docker/" ID, &working_set));
    assert_true(working_set == UINT64_MAX);
}

TEST(version_1_counts_the_cgroups_below)
{
    struct fake *fake = *state;
    uint64_t working_set;
    fake->hierarchy.usage = "memory.usage_in_bytes";
    fake->hierarchy.cache = "total_inactive_file";
    make_cgroup(fake, "docker/" ID, "", "inactive_file 5\nhierarchical_memory_limit 9\ntotal_inactive_file 40\n");
    write_file(fake, "docker/" ID, "memory.usage_in_bytes", "100\n");
    assert_true(read_one(fake, "docker/" ID, &working_set));
    assert_int_equal(working_set, 60);
}

TEST(what_is_not_such_a_file_is_not_known)
{
    static const struct {
        const char *usage, *statistics;
    } rows[] = {
        {"", "inactive_file 1\n"},
        {"\n", "inactive_file 1\n"},
        {"-1\n", "inactive_file 1\n"},
        {"max\n", "inactive_file 1\n"},
        {"18446744073709551616\n", "inactive_file 1\n"},
        {"10 20\n", "inactive_file 1\n"},
        {"10\n", ""},
        {"10\n", "inactive_file"},
        {"10\n", "inactive_file \n"},
        {"10\n", "inactive_file 1x\n"},
        {"10\n", "inactive_file -1\n"},
        {"10\n", "inactive_file  1\n"},
        {"10\n", "inactive_filer 1\ntotal_inactive_file 1\n"},
        {"10\n", "inactive_file 99999999999999999999\n"},
    };
    uint64_t working_set;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_cgroup(*state, "docker/" ID, rows[i].usage, rows[i].statistics);
        assert_false(read_one(*state, "docker/" ID, &working_set));
    }
    static char giant[40000];
    memset(giant, '\n', sizeof giant - 1);
    make_cgroup(*state, "docker/" ID, "10\n", giant);
    assert_false(read_one(*state, "docker/" ID, &working_set));
}

TEST(nothing_is_followed_out_of_the_hierarchy)
{
    const struct fake *fake = *state;
    uint64_t working_set;
    char target[PATH_MAX], link[PATH_MAX];
    make_cgroup(fake, "other/" ID, "10\n", "inactive_file 1\n");
    make_folders(fake, "docker");
    snprintf(target, sizeof target, "%s/other", fake->folder);
    snprintf(link, sizeof link, "%s/linked", fake->folder);
    assert_int_equal(symlink(target, link), 0);
    assert_false(read_one(fake, "linked/" ID, &working_set));
    snprintf(target, sizeof target, "%s/other/" ID, fake->folder);
    snprintf(link, sizeof link, "%s/docker/" ID, fake->folder);
    assert_int_equal(symlink(target, link), 0);
    assert_false(read_one(fake, "docker/" ID, &working_set));
    assert_true(read_one(fake, "other/" ID, &working_set));
    assert_false(read_one(fake, "docker/../other/" ID, &working_set));
    assert_false(read_one(fake, "./other/" ID, &working_set));
    assert_false(read_one(fake, "/other/" ID, &working_set));
    assert_false(read_one(fake, "other//" ID, &working_set));
    assert_false(read_one(fake, "", &working_set));
    snprintf(target, sizeof target, "%s/other/" ID "/memory.stat", fake->folder);
    snprintf(link, sizeof link, "%s/other/" ID "/kept", fake->folder);
    assert_int_equal(rename(target, link), 0);
    assert_int_equal(symlink(link, target), 0);
    assert_false(read_one(fake, "other/" ID, &working_set));
}

/* A container in any place, after any other. */
TEST(each_path_is_looked_at)
{
    enum { PATHS = 3, CONTAINERS = 9 };
    const char *paths[CONTAINERS][PATHS];
    char texts[CONTAINERS][PATHS][64];
    struct container_memory containers[CONTAINERS];
    for (size_t i = 0; i < CONTAINERS; i++) {
        for (size_t j = 0; j < PATHS; j++) {
            snprintf(texts[i][j], sizeof texts[i][j], "place%zu/container%zu", j, i);
            paths[i][j] = texts[i][j];
        }
        char usage[16];
        snprintf(usage, sizeof usage, "%zu\n", 100 + i);
        make_cgroup(*state, paths[i][i * i % PATHS], usage, "inactive_file 100\n");
        containers[i] = (struct container_memory){.cgroups = paths[i], .count = PATHS};
    }
    const char *const nowhere[] = {"place0/nothing"};
    containers[4] = (struct container_memory){.cgroups = nowhere, .count = 1};
    containers[5] = (struct container_memory){0};
    cgroups_read(&((struct fake *)*state)->hierarchy, containers, CONTAINERS);
    for (size_t i = 0; i < CONTAINERS; i++) {
        assert_int_equal(containers[i].known, i != 4 && i != 5);
        assert_int_equal(containers[i].working_set, containers[i].known ? i : 0);
    }
}
