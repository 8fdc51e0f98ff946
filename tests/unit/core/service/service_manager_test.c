/* What the service manager hears, with a socket of our own in its place. */
#include <grpc/grpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/service/manager.h"
#include "core/service/notify.h"
#include "tests/cmocka.h"

static int manager;

static int set_up(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "service-manager-test-%ld", (long)getpid());
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char name[sizeof address.sun_path + 1];
    snprintf(name, sizeof name, "@%s", address.sun_path + 1);
    setenv("NOTIFY_SOCKET", name, 1);
    return bind(manager, (struct sockaddr *)(void *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length));
}

static int tear_down(void **state)
{
    unsetenv("NOTIFY_SOCKET");
    return close(manager);
}

static const char *heard(void)
{
    static char text[1024];
    ssize_t size = recv(manager, text, sizeof text - 1, MSG_DONTWAIT);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

ALL_TESTS(set_up, tear_down)

TEST(states_are_told)
{
    service_manager_ready();
    assert_string_equal(heard(), "READY=1");
    service_manager_reloading();
    const char *text = heard();
    assert_non_null(strstr(text, "RELOADING=1\nMONOTONIC_USEC="));
    service_manager_stopping();
    assert_string_equal(heard(), "STOPPING=1");
    char expected[64];
    snprintf(expected, sizeof expected, "MAINPID=%ld\nREADY=1", (long)getpid());
    service_manager_took_over();
    assert_string_equal(heard(), expected);
}

TEST(a_status_is_one_line)
{
    service_manager_status("serving\nREADY=0 %d", 5);
    assert_string_equal(heard(), "STATUS=serving READY=0 5");
}

struct end {
    struct timer timer;
    struct worker *worker;
};

static void on_end(struct completion *completion, bool ok)
{
    (void)ok;
    worker_close(completion_owner(completion, struct end, timer)->worker);
}

/* Lets a watchdog of 100 ms run for 330 ms, stopped at once or not, and counts what it said. */
static unsigned signs_of_life(bool stopped)
{
    struct worker worker;
    struct watchdog watchdog;
    worker_init(&worker);
    watchdog_init(&watchdog, &worker);
    watchdog_begin(&watchdog, 100000);
    struct end end = {.timer.completion.run = on_end, .worker = &worker};
    worker_arm(&worker, &end.timer, 330);
    if (stopped) {
        watchdog_stop(&watchdog);
    }
    worker_run(&worker);
    unsigned count = 0;
    while (strcmp(heard(), "WATCHDOG=1") == 0) {
        count++;
    }
    return count;
}

TEST(whom_the_service_manager_watches_is_in_the_environment)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv("WATCHDOG_USEC", "100000", 1);
    setenv("WATCHDOG_PID", "1", 1);
    assert_int_equal(service_manager_watchdog(), 0);
    setenv("WATCHDOG_PID", pid, 1);
    assert_int_equal(service_manager_watchdog(), 100000);
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    assert_int_equal(service_manager_watchdog(), 0);
}

TEST(the_watchdog_is_fed_by_the_worker)
{
    unsigned signs = signs_of_life(false);
    assert_true(signs >= 4 && signs <= 7);
    assert_true(signs_of_life(true) <= 1);
}

/* Fills the service manager's queue. */
static void fill_queue(void)
{
    struct sockaddr_un address;
    socklen_t size;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(notify_address(getenv("NOTIFY_SOCKET"), &address, &size));
    while (sendto(fd, "X", 1, 0, (const struct sockaddr *)(const void *)&address, size) == 1) {
    }
    close(fd);
}

static void on_drain(struct completion *completion, bool ok)
{
    (void)completion;
    (void)ok;
    while (strcmp(heard(), "X") == 0) {
    }
}

/* The watchdog's next turn would be in an hour. */
TEST(a_service_manager_that_hangs_does_not_hold_the_worker_up)
{
    struct worker worker;
    struct watchdog watchdog;
    worker_init(&worker);
    watchdog_init(&watchdog, &worker);
    fill_queue();
    watchdog_begin(&watchdog, UINT64_C(2) * 3600 * 1000000);
    struct timer drain = {.completion.run = on_drain};
    struct end end = {.timer.completion.run = on_end, .worker = &worker};
    worker_arm(&worker, &drain, 100);
    worker_arm(&worker, &end.timer, 1000);
    worker_run(&worker);
    assert_string_equal(heard(), "WATCHDOG=1");
    assert_string_equal(heard(), "");
}

static void expect_pause(uint64_t microseconds, int64_t milliseconds)
{
    struct worker worker;
    struct watchdog watchdog;
    worker_init(&worker);
    watchdog_init(&watchdog, &worker);
    watchdog_begin(&watchdog, microseconds);
    assert_true(watchdog.interval == milliseconds);
    struct end end = {.timer.completion.run = on_end, .worker = &worker};
    worker_arm(&worker, &end.timer, 10);
    worker_run(&worker);
    assert_string_equal(heard(), microseconds > 0 ? "WATCHDOG=1" : "");
    while (*heard()) {
    }
}

/* Nothing keeps the worker busy, and nothing is too much for its timer. */
TEST(the_watchdogs_interval_has_bounds)
{
    expect_pause(0, 0);
    expect_pause(1, 1);
    expect_pause(3999, 1);
    expect_pause(4000, 2);
    expect_pause(UINT64_MAX, INT64_C(24) * 60 * 60 * 1000);
}

int main(void)
{
    grpc_init();
    int failures = tests_run();
    grpc_shutdown();
    return failures;
}
