/* The folder of the journal on a node, where all the folders above it are root's. */
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/journal/journal.h"
#include "tests/cmocka.h"

static struct arena *arena;
static struct error error;

/* In the child, an assertion of cmocka's would run on in the parent's tests. */
static void must(bool holds, int line)
{
    if (!holds) {
        fprintf(stderr, "journal_folder_test.c:%d: %s\n", line, error.message);
        _exit(1);
    }
}
#define MUST(holds) must(holds, __LINE__)

/* Runs as root with a mount namespace of its own, where /var/lib is empty. */
static void use_own_folder(void)
{
    struct planned_file planned = {.after = bytes_of_string("b"), .mode = 0600, .why = ""};
    MUST(!journal_open(false, arena, &error) && error.code == STATUS_NOT_FOUND);
    struct journal *journal = journal_open(true, arena, &error);
    MUST(journal && access(INSTALL_FOLDER, F_OK) == 0);
    MUST(node_file_read("/var/lib/new", arena, &planned.before, &error) && journal_change(journal, &planned, &error));
    MUST(node_file_read("/var/lib/open/new", arena, &planned.before, &error));
    MUST(mkdir("/var/lib/open", 0777) == 0 && chmod("/var/lib/open", 0777) == 0);
    MUST(!journal_change(journal, &planned, &error) && error.code == STATUS_PERMISSION_DENIED);
    MUST(journal_file_count(journal) == 1);
    journal_close(journal);
    MUST(chmod("/var/lib/crigate", 0777) == 0);
    MUST(!journal_open(true, arena, &error) && error.code == STATUS_PERMISSION_DENIED);
}

TEST(nobody_but_root_could_replace_what_a_node_has)
{
    pid_t child = fork();
    if (child == 0) {
        arena = arena_new((size_t)1 << 26);
        MUST(arena);
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", "/var/lib", "tmpfs", 0, "mode=0755") != 0) {
            _exit(2);
        }
        use_own_folder();
        arena_unref(arena);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), geteuid() == 0 ? 0 : 2);
}
