/* Names of processes that run. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/process_name.h"
#include "tests/cmocka.h"

TEST(a_process_has_the_name_of_its_executable)
{
    char name[64];
    process_name(getpid(), name, sizeof name);
    assert_string_equal(name, "process_name_test");
}

TEST(a_long_name_is_cut)
{
    char name[8];
    process_name(getpid(), name, sizeof name);
    assert_string_equal(name, "process");
}

TEST(no_process_has_no_name)
{
    char name[64];
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    process_name(child, name, sizeof name);
    assert_string_equal(name, "");
}

static void copy_file(const char *from, const char *to)
{
    struct stat status;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    assert_true(in >= 0 && out >= 0);
    assert_int_equal(fstat(in, &status), 0);
    assert_int_equal(sendfile(out, in, NULL, (size_t)status.st_size), status.st_size);
    close(in);
    close(out);
}

TEST(an_executable_that_was_removed_still_names_it_and_cannot_control_a_terminal)
{
    char folder[] = "/tmp/process_name.XXXXXX", path[64], name[64], byte;
    int ready[2];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ca\033t", folder);
    copy_file("/bin/cat", path);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ready[1], STDOUT_FILENO);
        execl(path, "cat", "/proc/self/comm", "/dev/zero", (char *)NULL);
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(unlink(path), 0);
    process_name(child, name, sizeof name);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    rmdir(folder);
    assert_string_equal(name, "ca?t");
}
