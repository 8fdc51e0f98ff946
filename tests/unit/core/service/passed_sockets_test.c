/* Sockets that a service manager passes, with the test in its place. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "core/service/listening_socket.h"
#include "core/service/passed.h"
#include "tests/cmocka.h"

/* Two descriptors are passed; the one after them is not open. */
enum { FIRST = PASSED_FIRST, SECOND, NONE };

static char own_pid[32];

static int set_up(void **state)
{
    snprintf(own_pid, sizeof own_pid, "%ld", (long)getpid());
    int pipes[2];
    if (pipe(pipes) != 0) {
        return -1;
    }
    int source = fcntl(pipes[0], F_DUPFD, 20); /* where it is not overwritten */
    bool passed = source >= 0 && dup2(source, FIRST) == FIRST && dup2(source, SECOND) == SECOND;
    close(NONE);
    return passed ? 0 : -1;
}

/* NULL: unset. */
static void set(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void expect(const char *pid, const char *count, int expected)
{
    fcntl(FIRST, F_SETFD, 0);
    fcntl(SECOND, F_SETFD, 0);
    set("LISTEN_PID", pid);
    set("LISTEN_FDS", count);
    set("LISTEN_FDNAMES", "first:second");
    assert_int_equal(passed_take(), expected);
    assert_null(getenv("LISTEN_PID"));
    assert_null(getenv("LISTEN_FDS"));
    assert_null(getenv("LISTEN_FDNAMES"));
    assert_int_equal(passed_take(), 0);
}

ALL_TESTS(set_up, NULL)

TEST(those_of_this_process_are_counted)
{
    expect(own_pid, "1", 1);
    assert_int_equal(fcntl(FIRST, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(SECOND, F_GETFD), 0);
    expect(own_pid, "2", 2);
    assert_int_equal(fcntl(SECOND, F_GETFD), FD_CLOEXEC);
}

TEST(those_of_another_process_are_left_alone)
{
    char parent[32];
    snprintf(parent, sizeof parent, "%ld", (long)getppid());
    expect(parent, "2", 0);
    expect(NULL, "2", 0);
    expect(own_pid, NULL, 0);
    expect(NULL, NULL, 0);
    assert_int_equal(fcntl(FIRST, F_GETFD), 0);
}

TEST(what_makes_no_sense_counts_as_none)
{
    static const char *const numbers[] = {
        "", "0", "-1", "+2", " 2", "2 ", "0x2", "two", "2147483648", "4294967298", "18446744073709551618"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        expect(own_pid, numbers[i], 0);
        expect(numbers[i], "2", 0);
    }
    assert_int_equal(fcntl(FIRST, F_GETFD), 0);
    expect(own_pid, "3", 0);
    expect(own_pid, "2147483644", 0);
}

/* descriptor_listens, which chooses among them. */
TEST(a_listening_socket_is_known_by_its_path)
{
    char path[] = "/tmp/passed_sockets_test_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_false(descriptor_listens(file, path));
    assert_int_equal(unlink(path), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_false(descriptor_listens(fd, path));
    assert_int_equal(bind(fd, (const struct sockaddr *)(void *)&address, sizeof address), 0);
    assert_false(descriptor_listens(fd, path)); /* it does not listen yet */
    assert_int_equal(listen(fd, 1), 0);
    assert_true(descriptor_listens(fd, path));
    char other[sizeof path + 1];
    snprintf(other, sizeof other, "%sx", path);
    assert_false(descriptor_listens(fd, other));
    other[sizeof path - 2] = '\0';
    assert_false(descriptor_listens(fd, other));
    assert_false(descriptor_listens(fd, ""));
    assert_false(descriptor_listens(-1, path));
    close(fd);
    unlink(path);
    close(file);
}

TEST(a_socket_without_a_path_or_of_another_kind_is_none)
{
    int unnamed = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int network = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int abstract = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int packets = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const sa_family_t family = AF_UNIX; /* without a name: the kernel gives it an abstract one */
    assert_int_equal(bind(abstract, (const struct sockaddr *)(const void *)&family, sizeof family), 0);
    assert_int_equal(bind(packets, (const struct sockaddr *)(const void *)&family, sizeof family), 0);
    assert_int_equal(listen(abstract, 1), 0);
    assert_int_equal(listen(packets, 1), 0);
    assert_int_equal(listen(network, 1), 0);
    const int sockets[] = {unnamed, network, abstract, packets};
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) {
        assert_false(descriptor_listens(sockets[i], ""));
        assert_false(descriptor_listens(sockets[i], "/run/crigate.sock"));
        close(sockets[i]);
    }
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)(void *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    return fd;
}

/* Closes both descriptors. */
TEST(only_the_socket_of_the_map_is_kept)
{
    static const char *const names[] = {"own", "other", "own.lock"};
    char folder[] = "/tmp/passed_sockets_test_XXXXXX", paths[3][64];
    struct listening_socket socket;
    struct error error;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    }
    for (int i = 0; i < 2; i++) {
        int fd = listen_at(paths[i]);
        assert_int_equal(dup2(fd, FIRST + i), FIRST + i);
        close(fd);
    }
    set("LISTEN_PID", own_pid);
    set("LISTEN_FDS", "2");
    const struct map_socket entry = {.path = paths[0]};
    int passed = passed_take();
    assert_true(passed_has(passed, paths[0]));
    assert_true(passed_has(passed, paths[1]));
    assert_false(passed_has(passed, paths[2]));
    assert_true(listening_socket_open(&socket, &entry, passed, &error));
    passed_close_others(passed, &socket.fd, 1);
    assert_int_equal(socket.fd, FIRST);
    assert_int_equal(fcntl(SECOND, F_GETFD), -1);
    listening_socket_close(&socket);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unlink(paths[i]);
    }
    assert_int_equal(rmdir(folder), 0);
}
