/* An install and an uninstall that are killed at each call of the system that writes, or in which each of them fails: the journal
   opens, and the node gets back what it had. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "node/journal/journal.h"
#include "tests/cmocka.h"
#include "tests/unit/node/journal/cut_off.h"

/* More calls than any install has. */
#define MOST_CALLS 2000

static char folder[64];
static char journal_folder[128];

/* The files of the node: one that changes twice, one that is made with its folders, one that goes. */
static char config[128];
static char drop_in[128];
static char old[128];

/* In a child, an assertion of cmocka's would run on in the parent's tests. */
static void must(bool holds, int line, const struct error *error)
{
    if (!holds) {
        fprintf(stderr, "journal_crash_test.c:%d: %s\n", line, error ? error->message : "");
        _exit(1);
    }
}
#define MUST(holds, error) must(holds, __LINE__, error)

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    MUST(file, NULL);
    fputs(text, file);
    MUST(fclose(file) == 0, NULL);
}

/* A node as it is before. */
static void make_node(void)
{
    char path[192];
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1234567, .tv_nsec = 89}};
    strcpy(folder, "/tmp/journal_crash_test_XXXXXX");
    MUST(mkdtemp(folder), NULL);
    snprintf(journal_folder, sizeof journal_folder, "%s/state/install", folder);
    snprintf(config, sizeof config, "%s/node/config.yaml", folder);
    snprintf(drop_in, sizeof drop_in, "%s/node/kubelet.service.d/deep/10-crigate.conf", folder);
    snprintf(old, sizeof old, "%s/node/old.conf", folder);
    snprintf(path, sizeof path, "%s/node", folder);
    MUST(mkdir(path, 0755) == 0, NULL);
    snprintf(path, sizeof path, "%s/state", folder);
    MUST(mkdir(path, 0755) == 0, NULL);
    write_file(config, "a: 1\n");
    write_file(old, "old\n");
    MUST(chmod(config, 0640) == 0 && setxattr(config, "user.note", "text", 4, 0) == 0, NULL);
    MUST(utimensat(AT_FDCWD, config, times, 0) == 0 && utimensat(AT_FDCWD, old, times, 0) == 0, NULL);
}

static void remove_node(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Everything about the files of the node, and the names of all other files. */
static void describe_node(char *text, size_t size)
{
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && { find node -type f -printf '%%p %%m %%U %%G %%T@\\n' -exec cat {} \\; ; find node -type d -printf '%%p "
             "%%m\\n'; "
             "find state; } | LC_ALL=C sort",
             folder);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    size_t len = fread(text, 1, size - 1, out);
    assert_int_equal(pclose(out), 0);
    text[len] = '\0';
}

static void assert_untouched(const char *before, enum cut_off what, unsigned call)
{
    char after[4096];
    char value[8];
    describe_node(after, sizeof after);
    if (strcmp(before, after) != 0) {
        print_error("cut off (%d) at call %u\n", what, call);
    }
    assert_string_equal(after, before);
    assert_int_equal(getxattr(config, "user.note", value, sizeof value), 4);
}

/* ---- an install and its end ---- */

static bool has_text(const char *path, struct arena *arena, struct bytes text)
{
    struct node_file file;
    return node_file_read(path, arena, &file, NULL) && file.present == (text.data != NULL) && bytes_equal(file.text, text);
}

/* After a failure the file must be as before. */
static bool change(struct journal *journal, const char *path, const char *text, struct arena *arena, struct error *error)
{
    struct planned_file planned = {.after = bytes_of(text, text ? strlen(text) : 0), .mode = 0644, .why = "a test"};
    if (!node_file_read(path, arena, &planned.before, error)) {
        return false;
    }
    struct bytes before = planned.before.present ? planned.before.text : bytes_of(NULL, 0);
    bool done = journal_change(journal, &planned, error);
    MUST(has_text(path, arena, done ? planned.after : before), error);
    return done;
}

static bool install(struct journal *journal, struct arena *arena, struct error *error)
{
    return journal_set_phase(journal, INSTALL_INSTALLING, error) && journal_set_fact(journal, "endpoint", "unix:///a", error) &&
           change(journal, config, "a: 2\n", arena, error) && change(journal, drop_in, "[Service]\n", arena, error) &&
           change(journal, config, "a: 3\n", arena, error) && change(journal, old, NULL, arena, error) &&
           journal_set_phase(journal, INSTALL_INSTALLED, error);
}

static bool uninstall(struct journal *journal, struct error *error)
{
    if (!journal_set_phase(journal, INSTALL_REMOVING, error)) {
        return false;
    }
    for (size_t i = journal_file_count(journal); i-- > 0;) {
        if (journal_undo(journal, i, error) != JOURNAL_UNDONE) {
            return false;
        }
    }
    return journal_clear(journal, error);
}

static void do_install(bool undo_failed)
{
    struct error error = {0};
    struct arena *arena = arena_new((size_t)1 << 26);
    struct journal *journal = journal_open_in(journal_folder, true, arena, &error);
    bool done = journal && install(journal, arena, &error);
    MUST(done || undo_failed, &error);
    if (!done) {
        cut_off_end();
        MUST(!journal || uninstall(journal, &error), &error);
    }
    journal_close(journal);
    arena_unref(arena);
}

static void do_uninstall(bool again)
{
    struct error error = {0};
    struct arena *arena = arena_new((size_t)1 << 26);
    struct journal *journal = journal_open_in(journal_folder, false, arena, &error);
    bool done = journal && uninstall(journal, &error);
    if (journal && !done && again) {
        cut_off_end();
        done = uninstall(journal, &error);
    }
    MUST(done || (!journal && error.code == STATUS_NOT_FOUND), &error);
    journal_close(journal);
    arena_unref(arena);
}

/* Runs in a child that is cut off there. false: it went through without. */
static bool is_cut_off(void (*run)(bool again), enum cut_off what, unsigned call)
{
    pid_t child = fork();
    if (child == 0) {
        cut_off_at(what, call);
        run(what != CUT_OFF_KILL);
        _exit(cut_off_calls() >= call ? 0 : 3);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (what == CUT_OFF_KILL && WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return true;
    }
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
    return WEXITSTATUS(status) == 0;
}

/* Runs to its end in a child. */
static void run_whole(void (*run)(bool again))
{
    assert_false(is_cut_off(run, CUT_OFF_NEVER, MOST_CALLS));
}

/* ---- tests ---- */

/* Cuts an install off, or the uninstall after one, at each of its calls, of which there are at least this many: then an uninstall
   leaves the node as it was. */
static void hold(void (*cut_off)(bool again), enum cut_off what, unsigned least)
{
    unsigned call = 1;
    char before[4096];
    for (bool cut = true; cut; call++) {
        make_node();
        describe_node(before, sizeof before);
        if (cut_off == do_uninstall) {
            run_whole(do_install);
        }
        cut = is_cut_off(cut_off, what, call);
        run_whole(do_uninstall);
        assert_true(rmdir(journal_folder) == 0 || access(journal_folder, F_OK) != 0); /* empty, if it is there */
        assert_untouched(before, what, call);
        remove_node();
    }
    assert_true(call > least);
}

TEST(a_killed_install_is_undone)
{
    hold(do_install, CUT_OFF_KILL, 50);
}

TEST(a_killed_uninstall_is_gone_on_with)
{
    hold(do_uninstall, CUT_OFF_KILL, 30);
}

TEST(a_failure_at_any_call_of_an_install_is_undone)
{
    hold(do_install, CUT_OFF_FAIL, 50);
}

TEST(a_disk_that_is_full_at_any_time_is_survived)
{
    hold(do_install, CUT_OFF_FULL, 50);
}

TEST(a_failure_at_any_call_of_an_uninstall_can_be_repeated)
{
    hold(do_uninstall, CUT_OFF_FAIL, 30);
}
