/* The files of the runtime map: what changes before they are watched is noticed as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/map/load.h"
#include "core/service/file_watch.h"
#include "tests/cmocka.h"
#include "tests/unit/fixture.h"

struct scene {
    char folder[64];
    char file[96];
    char drop_ins[96];
    char drop_in[128];
    int calls; /* an eventfd: 1 for each that nothing was seen before, 1000 for each other one */
};

static const char good[] = "runtimes: [{name: a, endpoint: 'unix:///run/a', primary: true}]\n";

static int begin(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    snprintf(scene->folder, sizeof scene->folder, "/tmp/file-watch-test-XXXXXX");
    if (!mkdtemp(scene->folder)) {
        return -1;
    }
    snprintf(scene->file, sizeof scene->file, "%s/map.yaml", scene->folder);
    snprintf(scene->drop_ins, sizeof scene->drop_ins, "%s/map.d", scene->folder);
    snprintf(scene->drop_in, sizeof scene->drop_in, "%s/10.yaml", scene->drop_ins);
    scene->calls = eventfd(0, EFD_CLOEXEC);
    write_text(scene->file, good);
    mkdir(scene->drop_ins, 0755);
    *state = scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    unlink(scene->drop_in);
    rmdir(scene->drop_ins);
    unlink(scene->file);
    rmdir(scene->folder);
    close(scene->calls);
    free(scene);
    return 0;
}

static void load(struct runtime_map_source *source)
{
    struct runtime_map_problems problems = {0};
    runtime_map_free(runtime_map_load_from(source, &problems));
    runtime_map_problems_clear(&problems);
}

/* Whether that is a change, once; and not when it was loaded. */
static void expect_change(struct runtime_map_source *source)
{
    assert_true(runtime_map_has_changed(source));
    load(source);
    assert_false(runtime_map_has_changed(source));
}

EACH_TEST(begin, end)

TEST(a_source_knows_whether_it_would_be_read_otherwise)
{
    const struct scene *scene = *state;
    char other[160];
    struct runtime_map_source source = {.path = scene->file};
    load(&source);
    assert_false(runtime_map_has_changed(&source));
    write_text(scene->file, good); /* written anew, as it was */
    assert_false(runtime_map_has_changed(&source));
    write_text(scene->drop_in, "hooks: true\n");
    expect_change(&source);
    snprintf(other, sizeof other, "%s/20.yaml", scene->drop_ins);
    rename(scene->drop_in, other); /* the order of drop-ins counts */
    expect_change(&source);
    unlink(other);
    expect_change(&source);
    snprintf(other, sizeof other, "%s/README", scene->drop_ins);
    write_text(other, "hooks: true\n"); /* not a map's */
    assert_false(runtime_map_has_changed(&source));
    unlink(other);
    write_text(scene->file, "nonsense\n"); /* refused, which is told once */
    expect_change(&source);
    unlink(scene->file);
    expect_change(&source);
}

static void on_changed(void *state, bool seen)
{
    eventfd_write(((struct scene *)state)->calls, seen ? 1000 : 1);
}

TEST(files_are_looked_at_once_after_they_are_watched_and_then_when_they_change)
{
    struct scene *scene = *state;
    struct error error;
    eventfd_t calls;
    struct poll_thread *thread = poll_thread_new(&error);
    struct file_watch *files = file_watch_open(scene->file, scene->drop_ins, thread, on_changed, scene, &error);
    assert_non_null(files);
    assert_true(poll_thread_start(thread, &error));
    assert_int_equal(eventfd_read(scene->calls, &calls), 0);
    assert_int_equal(calls, 1);
    write_text(scene->drop_in, "hooks: true\n");
    assert_int_equal(eventfd_read(scene->calls, &calls), 0);
    assert_int_equal(calls, 1000);
    poll_thread_stop(thread);
    file_watch_close(files);
    poll_thread_close(thread);
}
