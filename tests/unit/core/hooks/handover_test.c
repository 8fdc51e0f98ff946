/* What plugins must know, while one process takes over from another: two engines of hooks with one state folder, as the two
   processes have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hooks/handover.h"
#include "tests/cmocka.h"

static char folder[64];
static char path[128];
static struct runtime_entry entry = {.name = "node", .endpoint = "/run/node.sock"};
static struct runtime runtime = {.entry = &entry};
static struct runtime *runtimes[] = {&runtime};
static struct runtime_map map = {.state = folder, .runtimes = &entry, .runtime_count = 1};
static struct generation generation = {.map = &map, .runtimes = runtimes};
static struct hooks before, after;
static int given, taken;

static struct bytes text(const char *string)
{
    return bytes_of_string(string);
}

static struct known *known_of(struct hooks *hooks)
{
    struct known *known = known_open(&hooks->known, &map, &runtime, hooks->files);
    assert_non_null(known);
    return known;
}

/* A plugin changed its cgroup parent: so it is kept, although no plugin is there. */
static void make_pod(struct hooks *hooks, const char *id)
{
    struct known_pod pod = {.facts = text("facts"), .parent_changed = true};
    known_pod(known_of(hooks), text(id), &pod);
    handover_note(hooks, &map, &runtime, ID_POD, text(id));
}

static void make_container(struct hooks *hooks, const char *facts, const char *environment)
{
    struct known_container container = {.pod_id = text("pod"),
                                        .facts = text(facts),
                                        .environment = text(environment ? environment : ""),
                                        .has_environment = environment != NULL};
    known_container(known_of(hooks), text("container"), &container);
    handover_note(hooks, &map, &runtime, ID_CONTAINER, text("container"));
}

static bool knows(struct hooks *hooks, const char *id)
{
    struct known_pod pod;
    handover_read(hooks, &generation);
    return fact_store_pod(known_of(hooks)->store, text(id), &pod);
}

/* Whether a process that starts now finds it in the file. */
static bool is_in_file(const char *id)
{
    struct state_file place = known_place(&map, &runtime);
    struct fact_store *store = fact_store_new();
    struct error error = {0};
    struct fact_file *file = fact_file_open(&place, store, &error);
    struct known_pod pod;
    bool found = fact_store_pod(store, text(id), &pod);
    fact_file_close(file);
    fact_store_free(store);
    return found;
}

static ino_t file_number(void)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

/* A full list of pods, in which there is only this one. */
static void list(struct hooks *hooks, const char *id)
{
    uint8_t answer[64];
    size_t len = strlen(id);
    answer[0] = 0x0a; /* ListPodSandboxResponse.items */
    answer[1] = (uint8_t)(len + 2);
    answer[2] = 0x0a; /* PodSandbox.id */
    answer[3] = (uint8_t)len;
    memcpy(answer + 4, id, len);
    hooks_list_asked(hooks, &map, &runtime);
    hooks_listed(hooks, &runtime, ID_POD, bytes_of(answer, len + 4));
}

static int set_up(void **state)
{
    strcpy(folder, "/tmp/crigate-handover-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/node.facts", folder);
    hooks_init(&before, NULL, false, NULL, NULL);
    hooks_init(&after, NULL, true, NULL, NULL);
    given = memfd_create("handover", MFD_CLOEXEC);
    taken = dup(given);
    assert_true(given >= 0 && taken >= 0);
    return 0;
}

static int tear_down(void **state)
{
    hooks_clear(&before);
    hooks_clear(&after);
    close(given);
    close(taken);
    unlink(path);
    return rmdir(folder);
}

/* The process before has started anew, and not met the runtime yet. */
static void forget_all(void)
{
    hooks_clear(&before);
    hooks_init(&before, NULL, false, NULL, NULL);
}

static void lend(void)
{
    hooks_lend(&before, &generation);
    handover_give(&before, &generation, given);
    handover_take(&after, &generation, taken);
}

EACH_TEST(set_up, tear_down)

TEST(file_that_was_not_needed_yet)
{
    make_pod(&before, "pod");
    forget_all();
    lend();
    hooks_hand_over(&before);
    assert_true(knows(&before, "pod"));
    assert_true(knows(&after, "pod"));
}

TEST(both_serve)
{
    make_pod(&before, "old");
    lend();
    assert_true(knows(&after, "old"));
    make_pod(&before, "new");
    assert_true(knows(&after, "new"));
    make_pod(&after, "newest");
    hooks_take_part(&after, &generation);
    hooks_hand_over(&before);
    make_pod(&before, "last");
    assert_true(knows(&after, "last"));
    assert_true(is_in_file("old") && is_in_file("new") && is_in_file("newest") && is_in_file("last"));
}

/* The process before gives its files up a moment after the other one has opened them. */
TEST(nobody_replaces_what_the_other_writes)
{
    make_pod(&before, "pod");
    make_pod(&before, "gone");
    lend();
    hooks_take_part(&after, &generation);
    ino_t number = file_number();
    assert_true(number != 0);
    list(&before, "pod");
    hooks_shorten(&before, &runtime);
    assert_true(file_number() == number);
    make_pod(&after, "new");
    hooks_hand_over(&before);
    assert_true(is_in_file("pod") && is_in_file("new"));
    list(&after, "pod");
    assert_false(is_in_file("gone"));
}

TEST(no_file_is_made_meanwhile)
{
    lend();
    make_pod(&before, "pod");
    assert_true(file_number() == 0);
    hooks_take_part(&after, &generation);
    handover_read(&after, &generation);
    assert_true(is_in_file("pod"));
}

TEST(taken_back)
{
    make_pod(&before, "pod");
    make_pod(&before, "gone");
    lend();
    list(&before, "pod");
    assert_true(is_in_file("gone"));
    make_pod(&before, "new");
    assert_true(is_in_file("new"));
    handover_end(&before);
    hooks_take_back(&before, &generation);
    assert_false(is_in_file("gone"));
    assert_true(is_in_file("pod") && is_in_file("new"));
    ino_t number = file_number();
    list(&before, "pod");
    assert_true(file_number() != number);
}

TEST(taken_back_without_file)
{
    lend();
    make_pod(&before, "pod");
    handover_end(&before);
    hooks_take_back(&before, &generation);
    assert_true(is_in_file("pod"));
}

static void expect_container(struct fact_store *store, const char *facts, const char *environment)
{
    struct known_container container;
    assert_true(fact_store_container(store, text("container"), &container));
    assert_true(bytes_equal(container.facts, text(facts)));
    assert_true(container.has_environment == (environment != NULL));
    assert_true(!environment || bytes_equal(container.environment, text(environment)));
}

TEST(container_that_is_updated_meanwhile)
{
    before.plugins.stages = after.plugins.stages = 1; /* without a plugin, nothing is known of containers */
    make_pod(&before, "pod");
    make_container(&before, "facts", "COLOUR=red");
    lend();
    make_container(&before, "updated", NULL);
    handover_read(&after, &generation);
    expect_container(known_of(&after)->store, "updated", "COLOUR=red");
    known_stop(known_of(&after), ID_CONTAINER, text("container"));
    make_container(&before, "again", NULL);
    hooks_take_part(&after, &generation);
    handover_read(&after, &generation);
    expect_container(known_of(&after)->store, "again", "COLOUR=red");
    assert_false(known_stop(known_of(&after), ID_CONTAINER, text("container")));
    hooks_hand_over(&before);
    make_container(&after, "theirs", NULL);
    known_stop(known_of(&before), ID_CONTAINER, text("container"));
    handover_note(&before, &map, &runtime, ID_CONTAINER, text("container"));
    handover_read(&after, &generation);
    expect_container(known_of(&after)->store, "theirs", NULL);
    hooks_clear(&after);
    hooks_init(&after, NULL, false, NULL, NULL);
    expect_container(known_of(&after)->store, "theirs", NULL);
}

/* What it wrote stays, if this process has learned nothing since. */
TEST(successor_lost_that_updated_a_container)
{
    before.plugins.stages = after.plugins.stages = 1;
    make_pod(&before, "pod");
    make_container(&before, "facts", NULL);
    lend();
    hooks_take_part(&after, &generation);
    hooks_hand_over(&before);
    make_container(&after, "theirs", NULL);
    hooks_clear(&after);
    handover_end(&before);
    hooks_successor_lost(&before, &generation);
    hooks_init(&after, NULL, false, NULL, NULL);
    expect_container(known_of(&after)->store, "theirs", NULL);
}

/* It has replaced the file, but not read yet what this one has just learned. */
TEST(successor_lost_in_the_middle)
{
    make_pod(&before, "old");
    lend();
    make_pod(&after, "theirs");
    hooks_take_part(&after, &generation);
    make_pod(&before, "ours");
    hooks_hand_over(&before);
    hooks_clear(&after);
    assert_false(is_in_file("ours"));
    handover_end(&before);
    hooks_successor_lost(&before, &generation);
    assert_true(is_in_file("old") && is_in_file("theirs") && is_in_file("ours"));
    ino_t number = file_number();
    list(&before, "old");
    assert_true(file_number() == number); /* the next process may have it already */
}

/* Where `docker` leads is not known: the file is another place's. */
TEST(place_that_is_not_known_yet)
{
    make_pod(&before, "pod");
    ino_t number = file_number();
    forget_all();
    runtime.connection.to_docker = true;
    lend();
    hooks_take_part(&after, &generation);
    hooks_hand_over(&before);
    runtime.connection.to_docker = false;
    assert_true(file_number() == number && is_in_file("pod"));
}

TEST(successor_lost)
{
    make_pod(&before, "old");
    lend();
    hooks_take_part(&after, &generation);
    hooks_hand_over(&before);
    make_pod(&after, "theirs");
    make_pod(&before, "ours");
    hooks_clear(&after);
    handover_end(&before);
    hooks_successor_lost(&before, &generation);
    assert_true(knows(&before, "theirs"));
    assert_true(is_in_file("old") && is_in_file("theirs") && is_in_file("ours"));
}

/* Nobody has made a file yet, and this process still makes pods when it is alone again. */
TEST(successor_lost_before_there_is_a_file)
{
    lend();
    hooks_hand_over(&before);
    make_pod(&before, "meanwhile");
    handover_end(&before);
    hooks_successor_lost(&before, &generation);
    assert_true(is_in_file("meanwhile"));
    unlink(path);
    make_pod(&before, "later");
    assert_true(is_in_file("later"));
}

/* Another process may have started since, and made a file, or another one. */
TEST(successor_lost_and_another_one_is_there)
{
    lend();
    hooks_hand_over(&before);
    handover_end(&before);
    hooks_successor_lost(&before, &generation);
    hooks_init(&after, NULL, false, NULL, NULL);
    make_pod(&after, "theirs");
    make_pod(&before, "ours");
    assert_true(is_in_file("theirs") && is_in_file("ours"));
    list(&after, "theirs"); /* it replaces the file */
    make_pod(&before, "last");
    make_pod(&after, "theirs too");
    assert_true(is_in_file("last") && is_in_file("theirs too"));
}

/* It is killed before it has read what it was given; this process ends without having noticed that. */
TEST(end_before_the_successor_has_all)
{
    for (int has_all = 0; has_all <= 1; has_all++) {
        make_pod(&before, "old");
        lend();
        hooks_take_part(&after, &generation);
        hooks_hand_over(&before);
        make_pod(&before, "ours");
        if (has_all) {
            knows(&after, "ours");
            hooks_successor_has_all(&before);
            known_remove(known_of(&after), ID_POD, text("ours"));
        }
        hooks_save(&before, &generation);
        assert_true(is_in_file("old"));
        assert_int_equal(is_in_file("ours"), !has_all);
        hooks_clear(&before);
        hooks_clear(&after);
        hooks_init(&before, NULL, false, NULL, NULL);
        hooks_init(&after, NULL, true, NULL, NULL);
        unlink(path);
    }
}

/* As when the disk is full for a while: a folder is in the place of the file. */
static void block(bool blocked)
{
    if (blocked) {
        unlink(path);
        assert_int_equal(mkdir(path, 0700), 0);
    } else {
        assert_int_equal(rmdir(path), 0);
    }
}

TEST(what_could_not_be_written_is_written_at_the_end)
{
    for (int lost = 0; lost <= 1; lost++) {
        if (lost) {
            lend();
            hooks_hand_over(&before);
            handover_end(&before);
            hooks_successor_lost(&before, &generation);
        }
        block(true);
        make_pod(&before, "pod");
        block(false);
        assert_false(is_in_file("pod"));
        hooks_save(&before, &generation);
        assert_true(is_in_file("pod"));
        unlink(path);
        forget_all();
    }
}
