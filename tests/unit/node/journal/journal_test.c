/* The journal of an installation: what it keeps, what it gives back, and what it refuses. */
#include <dirent.h>
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
#include "tests/unit/fixture.h"

static char folder[FOLDER_SIZE];
static char state_folder[128];
static char path[128];
static struct error error;

static int begin(void **state)
{
    error = (struct error){0};
    if (arena_begin(state) != 0 || make_folder(folder) != 0) {
        return -1;
    }
    snprintf(state_folder, sizeof state_folder, "%s/var/install", folder);
    snprintf(path, sizeof path, "%s/config.yaml", folder);
    write_text(path, "a: 1\n");
    return 0;
}

static int end(void **state)
{
    arena_end(state);
    return remove_folder(folder);
}

static struct journal *open_journal(void)
{
    error = (struct error){0};
    struct journal *journal = journal_open_in(state_folder, true, arena, &error);
    if (!journal) {
        fail_msg("%s", error.message);
    }
    return journal;
}

static bool change(struct journal *journal, const char *name, const char *text)
{
    struct planned_file planned = {.after = bytes_of(text, text ? strlen(text) : 0), .mode = 0600, .why = "a reason"};
    assert_true(node_file_read(name, arena, &planned.before, &error));
    return journal_change(journal, &planned, &error);
}

static void assert_text(const char *name, const char *text)
{
    struct node_file file;
    assert_true(node_file_read(name, arena, &file, &error));
    assert_int_equal(file.present, text != NULL);
    if (text) {
        assert_string_equal((const char *)file.text.data, text);
    }
}

static const char *in_journal(const char *name)
{
    static char full[512];
    snprintf(full, sizeof full, "%s/%s", state_folder, name);
    return full;
}

/* ---- what it keeps ---- */

EACH_TEST(begin, end)

TEST(phase_and_facts_are_kept)
{
    struct journal *journal = open_journal();
    assert_int_equal(journal_phase(journal), INSTALL_NONE);
    assert_null(journal_fact(journal, "endpoint"));
    assert_true(journal_set_phase(journal, INSTALL_INSTALLING, &error));
    assert_true(journal_set_fact(journal, "endpoint", "unix:///a", &error));
    assert_true(journal_set_fact(journal, "unit", "", &error));
    assert_true(journal_set_fact(journal, "endpoint", "unix:///\"b\"\n\xc3\xa9", &error));
    journal_close(journal);
    journal = open_journal();
    assert_int_equal(journal_phase(journal), INSTALL_INSTALLING);
    assert_string_equal(journal_fact(journal, "endpoint"), "unix:///\"b\"\n\xc3\xa9");
    assert_string_equal(journal_fact(journal, "unit"), "");
    assert_null(journal_fact(journal, "none"));
    journal_close(journal);
}

TEST(a_change_is_kept_with_both_texts)
{
    assert_int_equal(chmod(path, 0640), 0);
    struct journal *journal = open_journal();
    assert_true(change(journal, path, "a: 2\n"));
    assert_text(path, "a: 2\n");
    journal_close(journal);
    journal = open_journal();
    assert_int_equal(journal_file_count(journal), 1);
    const struct journal_file *file = journal_file_at(journal, 0);
    assert_string_equal(file->path, path);
    assert_string_equal(file->why, "a reason");
    assert_true(file->existed && file->exists);
    assert_true(bytes_equal(file->before, bytes_of_string("a: 1\n")));
    assert_true(bytes_equal(file->after, bytes_of_string("a: 2\n")));
    assert_int_equal(file->status.st_mode & 07777, 0640);
    journal_close(journal);
}

TEST(a_change_of_nothing_is_not_kept)
{
    char missing[192];
    snprintf(missing, sizeof missing, "%s/none", folder);
    struct journal *journal = open_journal();
    assert_true(change(journal, path, "a: 1\n"));
    assert_true(change(journal, missing, NULL));
    assert_int_equal(journal_file_count(journal), 0);
    journal_close(journal);
    assert_int_not_equal(access(state_folder, F_OK), 0); /* nothing was in it */
}

TEST(secrets_are_for_root_alone)
{
    struct stat status;
    mode_t mask = umask(0);
    struct journal *journal = open_journal();
    assert_true(change(journal, path, "token: secret\n"));
    umask(mask);
    journal_close(journal);
    assert_int_equal(stat(state_folder, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    DIR *entries = opendir(state_folder);
    unsigned count = 0;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] != '.') {
            assert_int_equal(stat(in_journal(entry->d_name), &status), 0);
            assert_int_equal(status.st_mode & 07777, 0600);
            count++;
        }
    }
    closedir(entries);
    assert_int_equal(count, 3); /* the journal and two copies */
}

/* ---- undone ---- */

static enum journal_undo undo(size_t index)
{
    struct journal *journal = open_journal();
    enum journal_undo result = journal_undo(journal, index, &error);
    journal_close(journal);
    return result;
}

static void make_change(const char *name, const char *text)
{
    struct journal *journal = open_journal();
    assert_true(change(journal, name, text));
    journal_close(journal);
}

TEST(a_changed_file_gets_all_back_that_it_had)
{
    struct stat before, after;
    char value[8];
    bool root = geteuid() == 0;
    assert_int_equal(chown(path, root ? 12 : geteuid(), root ? 34 : getegid()), 0);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(setxattr(path, "user.note", "a\0b", 3, 0), 0);
    assert_int_equal(setxattr(path, "user.empty", "", 0, 0), 0);
    assert_int_equal(stat(path, &before), 0);
    make_change(path, "a: 2\n");
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(setxattr(path, "user.later", "x", 1, 0), 0);
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    assert_text(path, "a: 1\n");
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_uid, before.st_uid);
    assert_int_equal(after.st_gid, before.st_gid);
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
    assert_int_equal(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
    assert_int_equal(getxattr(path, "user.note", value, sizeof value), 3);
    assert_memory_equal(value, "a\0b", 3);
    assert_int_equal(getxattr(path, "user.empty", value, sizeof value), 0);
    assert_true(getxattr(path, "user.later", value, sizeof value) < 0);
}

TEST(a_new_file_goes_with_its_folders)
{
    char name[192];
    snprintf(name, sizeof name, "%s/a/b/new", folder);
    make_change(name, "");
    assert_text(name, "");
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    snprintf(name, sizeof name, "%s/a", folder);
    assert_int_not_equal(access(name, F_OK), 0);
}

TEST(folders_that_others_use_by_now_stay)
{
    char name[192];
    char other[192];
    snprintf(name, sizeof name, "%s/a/b/new", folder);
    snprintf(other, sizeof other, "%s/a/other", folder);
    make_change(name, "x");
    write_text(other, "y");
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    assert_text(name, NULL);
    assert_text(other, "y");
}

TEST(a_removed_file_comes_back)
{
    make_change(path, NULL);
    assert_text(path, NULL);
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    assert_text(path, "a: 1\n");
}

TEST(what_somebody_changed_is_left_alone)
{
    char new[192];
    char old[192];
    snprintf(new, sizeof new, "%s/new", folder);
    snprintf(old, sizeof old, "%s/old", folder);
    write_text(old, "old\n");
    make_change(path, "a: 2\n");
    make_change(new, "new\n");
    make_change(old, NULL);
    write_text(path, "a: 3\n");
    write_text(new, "newer\n");
    write_text(old, "other\n");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(undo(i), JOURNAL_EDITED);
    }
    assert_text(path, "a: 3\n");
    assert_text(new, "newer\n");
    assert_text(old, "other\n");
    assert_int_equal(unlink(path), 0); /* neither as before nor as after */
    assert_int_equal(undo(0), JOURNAL_EDITED);
    assert_text(path, NULL);
    assert_int_equal(unlink(new), 0); /* as before */
    assert_int_equal(undo(1), JOURNAL_UNDONE);
    write_text(old, "old\n");
    assert_int_equal(undo(2), JOURNAL_UNDONE);
}

TEST(something_else_than_a_file_is_left_alone)
{
    make_change(path, "a: 2\n");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(undo(0), JOURNAL_FAILED);
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(undo(0), JOURNAL_FAILED);
}

TEST(a_file_that_is_changed_twice_goes_back_to_the_first)
{
    make_change(path, "a: 2\n");
    make_change(path, "a: 3\n");
    struct journal *journal = open_journal();
    assert_int_equal(journal_file_count(journal), 1);
    assert_true(bytes_equal(journal_file_at(journal, 0)->before, bytes_of_string("a: 1\n")));
    assert_true(bytes_equal(journal_file_at(journal, 0)->after, bytes_of_string("a: 3\n")));
    journal_close(journal);
    write_text(path, "a: 2\n"); /* the first change: what a crash before the second leaves */
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    assert_text(path, "a: 1\n");
}

TEST(a_file_that_somebody_changed_in_between_goes_back_to_that)
{
    make_change(path, "a: 2\n");
    write_text(path, "b: 1\n");
    make_change(path, "b: 2\n");
    struct journal *journal = open_journal();
    assert_int_equal(journal_file_count(journal), 1);
    journal_close(journal);
    assert_int_equal(undo(0), JOURNAL_UNDONE);
    assert_text(path, "b: 1\n");
}

TEST(a_failed_change_leaves_the_file)
{
    struct journal *journal = open_journal();
    struct planned_file planned = {.after = bytes_of_string("a: 2\n"), .why = ""};
    assert_true(node_file_read(path, arena, &planned.before, &error));
    write_text(path, "a: 9\n");
    assert_false(journal_change(journal, &planned, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_text(path, "a: 9\n");
    journal_close(journal);
}

TEST(nothing_is_left_of_a_journal_that_is_cleared)
{
    make_change(path, "a: 2\n");
    write_text(in_journal(".3.before.crigate"), "what a killed process left");
    write_text(in_journal("17.after"), "the same");
    struct journal *journal = open_journal();
    assert_true(journal_set_phase(journal, INSTALL_REMOVING, &error));
    assert_int_equal(journal_undo(journal, 0, &error), JOURNAL_UNDONE);
    assert_true(journal_clear(journal, &error));
    assert_int_equal(journal_phase(journal), INSTALL_NONE);
    assert_int_equal(journal_file_count(journal), 0);
    assert_null(journal_open_in(state_folder, true, arena, &error)); /* still locked */
    journal_close(journal);
    assert_int_not_equal(access(state_folder, F_OK), 0);
    assert_null(journal_open_in(state_folder, false, arena, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
}

/* ---- what it refuses ---- */

static void refuse(enum status_code code, const char *expected)
{
    error = (struct error){0};
    assert_null(journal_open_in(state_folder, true, arena, &error));
    assert_int_equal(error.code, code);
    if (!strstr(error.message, expected)) {
        fail_msg("\"%s\" lacks \"%s\"", error.message, expected);
    }
}

TEST(one_process_at_a_time_has_it)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* if this test fails, nobody ends the child */
        struct journal *journal = journal_open_in(state_folder, true, arena, NULL);
        if (journal && write(ready[1], "x", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    char expected[64];
    snprintf(expected, sizeof expected, "process %d is using", (int)child);
    refuse(STATUS_FAILED_PRECONDITION, expected);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    journal_close(open_journal());
    close(ready[0]);
}

TEST(a_folder_that_others_could_look_into_is_refused)
{
    char parent[128];
    char other[128];
    snprintf(parent, sizeof parent, "%s/var", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(mkdir(parent, 0755), 0);
    assert_int_equal(mkdir(state_folder, 0755), 0);
    assert_int_equal(chmod(state_folder, 0750), 0);
    refuse(STATUS_FAILED_PRECONDITION, "has mode 0750");
    assert_int_equal(rename(state_folder, other), 0);
    assert_int_equal(chmod(other, 0700), 0);
    assert_int_equal(symlink(other, state_folder), 0);
    refuse(STATUS_FAILED_PRECONDITION, state_folder);
    assert_int_equal(unlink(state_folder), 0);
    assert_int_equal(rename(other, state_folder), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(state_folder, 7, 7), 0);
        refuse(STATUS_FAILED_PRECONDITION, "belongs to uid 7");
        assert_int_equal(chown(state_folder, 0, 0), 0);
    }
    journal_close(open_journal());
}

TEST(damaged_copies_are_named)
{
    make_change(path, "a: 2\n");
    write_text(in_journal("1.before"), "a: 7\n");
    refuse(STATUS_DATA_LOSS, "1.before");
    assert_non_null(strstr(error.message, path));
    write_text(in_journal("1.before"), "a: 1\n");
    journal_close(open_journal());
    assert_int_equal(unlink(in_journal("1.after")), 0);
    refuse(STATUS_DATA_LOSS, "1.after");
}

TEST(a_damaged_journal_is_refused)
{
    make_change(path, "a: 2\n");
    write_text(in_journal("journal.json"), "");
    refuse(STATUS_DATA_LOSS, "journal.json");
    write_text(in_journal("journal.json"), "{\"version\": 2}");
    refuse(STATUS_FAILED_PRECONDITION, "version 2");
}

TEST(without_a_folder_nothing_is_made)
{
    assert_null(journal_open_in(state_folder, false, arena, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    assert_int_not_equal(access(state_folder, F_OK), 0);
    journal_close(NULL);
}
