/* The link of a bypass, and connections of other processes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "node/bypass/connections.h"
#include "node/deploy/bypass.h"
#include "tests/cmocka.h"
#include "tests/unit/socket_fixture.h"

struct folder {
    char path[64];
    char link[96];
    char target[96];
};

static int set_up(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    strcpy(folder->path, "/tmp/bypass_switch.XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    snprintf(folder->link, sizeof folder->link, "%s/crigate.sock", folder->path);
    snprintf(folder->target, sizeof folder->target, "%s/runtime.sock", folder->path);
    *state = folder;
    return 0;
}

static int tear_down(void **state)
{
    struct folder *folder = *state;
    unlink(folder->link);
    unlink(folder->target);
    int removed = rmdir(folder->path); /* nothing may be left beside them */
    free(folder);
    return removed;
}

EACH_TEST(set_up, tear_down)

TEST(a_link_takes_the_place_of_a_socket_and_leads_to_the_other)
{
    struct folder *folder = *state;
    struct error error = {0};
    int crigate = listen_at(folder->link), runtime = listen_at(folder->target);
    assert_int_equal(bypass_link_look(folder->link, folder->target), BYPASS_LINK_SOCKET);
    assert_true(bypass_link_place(folder->link, folder->target, &error));
    assert_int_equal(bypass_link_look(folder->link, folder->target), BYPASS_LINK_THERE);
    assert_int_equal(bypass_link_look(folder->link, "/elsewhere"), BYPASS_LINK_ELSEWHERE);
    int caller = unix_socket_connect(folder->link, 0);
    int accepted = accept(runtime, NULL, NULL);
    assert_true(caller >= 0 && accepted >= 0);
    /* Again, as after a crash. */
    assert_true(bypass_link_place(folder->link, folder->target, &error));
    close(caller);
    close(accepted);
    close(crigate);
    close(runtime);
}

TEST(only_a_link_is_removed)
{
    struct folder *folder = *state;
    struct error error = {0};
    assert_true(bypass_link_remove(folder->link, &error));
    int crigate = listen_at(folder->link);
    assert_true(bypass_link_remove(folder->link, &error));
    assert_int_equal(bypass_link_look(folder->link, folder->target), BYPASS_LINK_SOCKET);
    assert_true(bypass_link_place(folder->link, folder->target, &error));
    assert_true(bypass_link_remove(folder->link, &error));
    assert_int_equal(bypass_link_look(folder->link, folder->target), BYPASS_LINK_NOTHING);
    close(crigate);
}

TEST(what_cannot_be_replaced_is_a_failure_without_leftovers)
{
    struct folder *folder = *state;
    struct error error = {0};
    assert_int_equal(mkdir(folder->link, 0700), 0);
    assert_false(bypass_link_place(folder->link, folder->target, &error));
    assert_non_null(strstr(error.message, folder->link));
    assert_int_equal(rmdir(folder->link), 0);
}

/* A process with `count` connections to the path, which ends when the first of them does. */
static pid_t start_caller(const char *path, int count, int *ready)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        int connection = -1;
        for (int i = 0; i < count; i++) {
            connection = unix_socket_connect(path, 0);
        }
        if (connection < 0 || write(ends[1], "r", 1) != 1) {
            _exit(1);
        }
        _exit(read(connection, &byte, 1) == 0 ? 7 : 1);
    }
    close(ends[1]);
    *ready = ends[0];
    return child;
}

TEST(connections_of_a_process_are_found_and_ended_by_path)
{
    struct folder *folder = *state;
    struct error error = {0};
    size_t count;
    int runtime = listen_at(folder->target), other = listen_at(folder->link), ready, status = 0;
    pid_t child = start_caller(folder->target, 3, &ready);
    char byte;
    assert_int_equal(read(ready, &byte, 1), 1);
    bool counted = connections_count(child, folder->target, &count, &error);
    if (!counted && (error.code == STATUS_UNIMPLEMENTED || error.code == STATUS_PERMISSION_DENIED)) {
        kill(child, SIGKILL); /* the kernel is older, or does not let this user */
    } else {
        assert_true(counted);
        assert_int_equal(count, 3);
        assert_true(connections_cut(child, folder->link, &count, &error));
        assert_int_equal(count, 0);
        assert_true(connections_cut(child, folder->target, &count, &error));
        assert_int_equal(count, 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(!counted || (WIFEXITED(status) && WEXITSTATUS(status) == 7));
    close(ready);
    close(runtime);
    close(other);
}

TEST(a_process_or_a_socket_that_is_gone_is_a_failure)
{
    struct folder *folder = *state;
    struct error error = {0};
    size_t count;
    assert_false(connections_count(getpid(), folder->target, &count, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    int runtime = listen_at(folder->target);
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    assert_false(connections_count(child, folder->target, &count, &error));
    close(runtime);
}
