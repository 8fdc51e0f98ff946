/* What a service manager gets, with sockets of the test's own in its place. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/service/notify.h"
#include "tests/cmocka.h"

static char folder[] = "/tmp/notify_test_XXXXXX";
static char log_path[64];
static int own_stderr;

/* Lines of the log go to a file. */
static int set_up(void **state)
{
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    int log = open(log_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    own_stderr = dup(STDERR_FILENO);
    if (log < 0 || dup2(log, STDERR_FILENO) < 0) {
        return -1;
    }
    return close(log);
}

static int tear_down(void **state)
{
    dup2(own_stderr, STDERR_FILENO);
    unlink(log_path);
    return rmdir(folder);
}

/* How often the log has that text. */
static unsigned logged(const char *text)
{
    static char lines[65536];
    FILE *file = fopen(log_path, "re");
    assert_non_null(file);
    lines[fread(lines, 1, sizeof lines - 1, file)] = '\0';
    fclose(file);
    unsigned count = 0;
    for (const char *at = lines; (at = strstr(at, text)); at++) {
        count++;
    }
    return count;
}

static int listen_at(const char *name)
{
    struct sockaddr_un address;
    socklen_t size;
    assert_true(notify_address(name, &address, &size));
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)(const void *)&address, size), 0);
    return fd;
}

static void expect_message(int fd, const char *expected)
{
    char text[256];
    ssize_t size = recv(fd, text, sizeof text - 1, MSG_DONTWAIT);
    assert_true(size >= 0);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

static void expect_silence(int fd)
{
    char text[1];
    assert_int_equal(recv(fd, text, sizeof text, MSG_DONTWAIT), -1);
}

static void messages_reach(const char *name)
{
    int fd = listen_at(name);
    setenv("NOTIFY_SOCKET", name, 1);
    notify_send("READY=1");
    notify_send("MAINPID=7\nREADY=1");
    expect_message(fd, "READY=1");
    expect_message(fd, "MAINPID=7\nREADY=1");
    assert_string_equal(getenv("NOTIFY_SOCKET"), name);
    unsetenv("NOTIFY_SOCKET");
    notify_send("READY=1");
    expect_silence(fd);
    close(fd);
}

ALL_TESTS(set_up, tear_down)

TEST(messages_reach_a_path_and_an_abstract_name)
{
    char name[sizeof((struct sockaddr_un *)0)->sun_path];
    snprintf(name, sizeof name, "%s/socket", folder);
    messages_reach(name);
    unlink(name);
    snprintf(name, sizeof name, "@notify-test-%ld", (long)getpid());
    messages_reach(name);
    size_t len = strlen(name);
    memset(name + len, 'n', sizeof name - len - 1);
    name[sizeof name - 1] = '\0';
    messages_reach(name);
    assert_int_equal(logged("\n"), 0);
}

/* The name of an abstract socket is all of its bytes: one that is longer is a different socket. */
TEST(an_abstract_name_has_no_trailing_bytes)
{
    struct sockaddr_un address;
    socklen_t size;
    assert_true(notify_address("@ab", &address, &size));
    assert_int_equal(size, offsetof(struct sockaddr_un, sun_path) + 3);
    assert_memory_equal(address.sun_path, "\0ab", 3);
    assert_true(notify_address("/ab", &address, &size));
    assert_int_equal(size, offsetof(struct sockaddr_un, sun_path) + 4);
    assert_memory_equal(address.sun_path, "/ab", 4);
}

TEST(other_addresses_are_refused_with_one_line)
{
    char long_path[200];
    char too_long[sizeof((struct sockaddr_un *)0)->sun_path + 1];
    memset(long_path, 'a', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    snprintf(too_long, sizeof too_long, "%.*s", (int)sizeof too_long - 1, long_path);
    const char *const addresses[] = {"",    "/",      "@",      "relative", "vsock:2:1", "vsock-stream:2:1", "unix:/run/x",
                                     " /x", too_long, long_path};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        struct sockaddr_un address;
        socklen_t size;
        assert_false(notify_address(addresses[i], &address, &size));
        setenv("NOTIFY_SOCKET", addresses[i], 1);
        notify_send("READY=1");
    }
    assert_int_equal(logged("the service manager gets no notifications: NOTIFY_SOCKET is "), 1);
    assert_int_equal(logged("\n"), 1);
}

TEST(a_message_that_is_lost_is_logged_once)
{
    setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
    notify_send("READY=1");
    notify_send("READY=1");
    assert_true(notify_try("READY=1"));
    assert_int_equal(logged("cannot notify the service manager at NOTIFY_SOCKET: No such file or directory"), 1);
}

#define MANY 1000

struct reader {
    int fd;
    int received;
};

/* Until all are there, or none comes. */
static void *read_all(void *state)
{
    struct reader *reader = state;
    char text[64];
    while (reader->received < MANY && recv(reader->fd, text, sizeof text, 0) > 0) {
        reader->received++;
    }
    return NULL;
}

/* A service manager that is busy has more in its queue than fits. */
TEST(a_full_queue_loses_nothing)
{
    char name[64];
    snprintf(name, sizeof name, "@notify-test-full-%ld", (long)getpid());
    struct reader reader = {.fd = listen_at(name)};
    const struct timeval most = {.tv_sec = 20};
    setsockopt(reader.fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    setenv("NOTIFY_SOCKET", name, 1);
    while (notify_try("READY=1")) {
        reader.received--;
    }
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
    for (int i = 0; i < MANY; i++) {
        notify_send("READY=1");
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(reader.received, MANY);
    expect_silence(reader.fd);
    close(reader.fd);
    unsetenv("NOTIFY_SOCKET");
}

static void expect_watchdog(const char *interval, const char *pid, uint64_t expected)
{
    setenv("WATCHDOG_USEC", interval, 1);
    pid ? setenv("WATCHDOG_PID", pid, 1) : unsetenv("WATCHDOG_PID");
    assert_true(notify_watchdog() == expected);
}

TEST(the_watchdog_is_that_of_this_process)
{
    char own[32];
    char other[32];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    snprintf(other, sizeof other, "%ld", (long)getppid());
    expect_watchdog("30000000", own, 30000000);
    expect_watchdog("30000000", NULL, 30000000);
    expect_watchdog("30000000", other, 0);
    expect_watchdog("18446744073709551614", own, UINT64_MAX - 1);
    assert_int_equal(logged("watchdog"), 0);
    static const char *const numbers[] = {
        "",
        "0",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1s",
        "0x10",
        "1.5",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        expect_watchdog(numbers[i], own, 0);
        expect_watchdog("30000000", numbers[i], 0);
    }
    assert_int_equal(logged("no watchdog is notified: WATCHDOG_USEC or WATCHDOG_PID is not a valid number"), 1);
    unsetenv("WATCHDOG_USEC");
    assert_true(notify_watchdog() == 0);
    unsetenv("WATCHDOG_PID");
}
