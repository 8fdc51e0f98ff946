/* The thread that serves metrics, with callers of all kinds. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/metrics/server.h"
#include "tests/cmocka.h"

#define MANY 100 /* more connections than are served at a time */

static atomic_bool alive, ready;
static char folder[] = "/tmp/metrics-XXXXXX";
static struct metrics_address address;
static struct metrics_server *server;

/* More than a socket takes at once, if it is wanted. */
static atomic_uint series;

static void look_at(void *state, struct metrics_look *look)
{
    *look = (struct metrics_look){.samples = metric_samples_new(), .alive = alive, .ready = ready};
    metric_add(look->samples, METRIC_WORKER_UP, alive, NULL);
    for (unsigned i = 0; i < series; i++) {
        metric_add(look->samples, METRIC_PODS, i, (const char *[]){"main"});
    }
}

static struct metrics_address unix_address(const char *name)
{
    struct metrics_address at = {.length = sizeof(struct sockaddr_un), .mode = 0600, .group = (gid_t)-1};
    struct sockaddr_un *own = (void *)&at.address;
    own->sun_family = AF_UNIX;
    snprintf(own->sun_path, sizeof own->sun_path, "%s/%s", folder, name);
    return at;
}

static const char *path_of(const struct metrics_address *at)
{
    return ((const struct sockaddr_un *)(const void *)&at->address)->sun_path;
}

/* Connects as soon as somebody listens. */
static int connect_to(const struct metrics_address *at)
{
    for (;;) {
        int fd = socket(at->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(fd >= 0);
        if (connect(fd, (const struct sockaddr *)&at->address, at->length) == 0) {
            return fd;
        }
        close(fd);
        poll(NULL, 0, 5);
    }
}

/* Reads until the end. The result lives until the next call. */
static const char *receive(int fd)
{
    static char text[65536];
    size_t used = 0;
    ssize_t size;
    while (used + 1 < sizeof text && (size = recv(fd, text + used, sizeof text - 1 - used, 0)) > 0) {
        used += (size_t)size;
    }
    text[used] = '\0';
    close(fd);
    return text;
}

static const char *ask(const char *request)
{
    int fd = connect_to(&address);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    return receive(fd);
}

static const char *get(const char *path)
{
    char request[256];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
    return ask(request);
}

static void assert_status(const char *answer, unsigned status)
{
    char line[32];
    snprintf(line, sizeof line, "HTTP/1.1 %u ", status);
    assert_int_equal(strncmp(answer, line, strlen(line)), 0);
    assert_non_null(strstr(answer, "\r\nConnection: close\r\n"));
}

/* Another look than the last one. */
static void set_state(bool is_alive, bool is_ready)
{
    alive = is_alive;
    ready = is_ready;
    poll(NULL, 0, 100);
}

static int set_up(void **state)
{
    struct error error;
    alive = ready = true;
    address = unix_address("metrics.sock");
    server = metrics_server_start(look_at, NULL, &error);
    metrics_server_listen(server, &address, -1);
    return server ? 0 : -1;
}

static int tear_down(void **state)
{
    metrics_server_stop(server);
    return access(path_of(&address), F_OK) == 0; /* its file is gone */
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

ALL_TESTS(make_folder, remove_folder)

TEST(a_file_that_is_no_socket_stays)
{
    struct metrics_endpoint endpoint;
    struct error error;
    struct metrics_address at = unix_address("file");
    FILE *file = fopen(path_of(&at), "we");
    assert_non_null(file);
    fclose(file);
    assert_false(metrics_endpoint_open(&endpoint, &at, &error));
    assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(access(path_of(&at), F_OK), 0);
    unlink(path_of(&at));
}

TEST(a_socket_of_another_address_is_not_taken)
{
    struct metrics_endpoint other, endpoint = {.fd = -1};
    struct error error;
    struct metrics_address at = unix_address("other.sock");
    assert_true(metrics_endpoint_open(&other, &at, &error));
    int copy = dup(other.fd);
    assert_false(metrics_endpoint_adopt(&endpoint, &address, copy));
    assert_int_equal(fcntl(copy, F_GETFD), -1);
    assert_false(metrics_endpoint_adopt(&endpoint, &at, socket(AF_UNIX, SOCK_STREAM, 0)));
    metrics_endpoint_close(&other, false);
    assert_int_equal(access(path_of(&at), F_OK), -1);
}

EACH_TEST(set_up, tear_down)

TEST(the_three_paths)
{
    const char *answer = get("/metrics");
    assert_status(answer, 200);
    assert_non_null(strstr(answer, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert_non_null(strstr(answer, "\ncrigate_worker_up 1\n"));
    assert_status(get("/metrics?name=x"), 200);
    assert_status(get("/healthz"), 200);
    assert_status(get("/readyz"), 200);
    assert_status(get("/"), 404);
    assert_status(get("/metrics/"), 404);
    answer = ask("GET /metrics HTTP/1.1\r\nHost: x\r\nACCEPT: application/openmetrics-text\r\n\r\n");
    assert_non_null(strstr(answer, "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"));
    assert_string_equal(answer + strlen(answer) - 6, "# EOF\n");
}

TEST(what_does_not_answer_is_said)
{
    set_state(true, false);
    assert_status(get("/healthz"), 200);
    assert_status(get("/readyz"), 503);
    set_state(false, false);
    const char *answer = get("/metrics");
    assert_status(answer, 200);
    assert_non_null(strstr(answer, "\ncrigate_worker_up 0\n"));
    assert_status(get("/healthz"), 503);
}

TEST(only_get_and_head)
{
    const char *answer = ask("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
    assert_status(answer, 405);
    assert_non_null(strstr(answer, "\r\nAllow: GET, HEAD\r\n"));
    assert_status(ask("DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), 405);
    answer = ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_status(answer, 200);
    assert_null(strstr(answer, "crigate_"));
    assert_string_equal(answer + strlen(answer) - 4, "\r\n\r\n");
}

TEST(what_is_no_request_is_refused)
{
    char big[20000];
    int size = snprintf(big, sizeof big, "GET /metrics HTTP/1.1\r\nX: ");
    memset(big + size, 'x', sizeof big - (size_t)size - 1);
    big[sizeof big - 1] = '\0';
    int fd = connect_to(&address);
    send(fd, big, strlen(big), MSG_NOSIGNAL);
    assert_status(receive(fd), 431);
    assert_status(ask("\r\n\r\n"), 400);
    assert_status(ask("GET /metrics\r\n\r\n"), 400);
    assert_status(ask("GET /metrics HTTP/1.1\r\nbroken\r\n\r\n"), 400);
    assert_status(ask("\x16\x03\x01\x02\r\n\r\n"), 400);
    assert_status(get("/metrics"), 200);
}

/* Connections that send nothing do not keep others out, and are not kept. */
TEST(many_silent_connections_give_way)
{
    int silent[MANY];
    for (size_t i = 0; i < MANY; i++) {
        silent[i] = connect_to(&address);
        assert_int_equal(send(silent[i], "GET /met", 8, MSG_NOSIGNAL), 8);
    }
    assert_status(get("/metrics"), 200);
    char byte;
    assert_true(recv(silent[0], &byte, 1, 0) <= 0); /* the oldest was closed */
    for (size_t i = 0; i < MANY; i++) {
        close(silent[i]);
    }
}

/* Nor do they take the answer from one that is reading it. */
TEST(silent_connections_end_no_answer)
{
    static const unsigned many = 40000;
    static char text[4 << 20];
    int silent[MANY], fd = connect_to(&address);
    size_t used = 0;
    ssize_t size = 1;
    series = many;
    send(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 35, MSG_NOSIGNAL);
    assert_int_equal(recv(fd, text, 1, MSG_PEEK), 1); /* it has begun */
    for (size_t i = 0; i < MANY; i++) {
        silent[i] = connect_to(&address);
    }
    series = 0;
    assert_status(get("/healthz"), 200); /* all of them were accepted */
    while (size > 0 && used < sizeof text - 1) {
        size = recv(fd, text + used, sizeof text - 1 - used, 0);
        used += size > 0 ? (size_t)size : 0;
    }
    char last[64];
    snprintf(last, sizeof last, "\ncrigate_pods{runtime=\"main\"} %u\n", many - 1);
    assert_non_null(memmem(text, used, last, strlen(last)));
    for (size_t i = 0; i < MANY; i++) {
        close(silent[i]);
    }
    close(fd);
}

TEST(a_request_in_pieces)
{
    const char *const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    int fd = connect_to(&address);
    for (size_t i = 0; i < strlen(request); i++) {
        assert_int_equal(send(fd, request + i, 1, MSG_NOSIGNAL), 1);
    }
    assert_status(receive(fd), 200);
}

TEST(a_caller_that_is_gone_harms_nobody)
{
    for (int i = 0; i < 50; i++) {
        int fd = connect_to(&address);
        send(fd, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 35, MSG_NOSIGNAL);
        close(fd);
    }
    assert_status(get("/metrics"), 200);
}

TEST(the_file_has_its_mode)
{
    struct stat status;
    close(connect_to(&address));
    assert_int_equal(stat(path_of(&address), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

TEST(an_address_that_is_taken_is_tried_again)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof own;
    int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(taken, (const struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&own, &length), 0);
    address = (struct metrics_address){.length = sizeof own};
    memcpy(&address.address, &own, sizeof own);
    metrics_server_listen(server, &address, -1);
    poll(NULL, 0, 100);
    assert_int_equal(metrics_server_lend(server), -1);
    close(taken);
    assert_status(get("/metrics"), 200);
    address = unix_address("metrics.sock");
    metrics_server_listen(server, &address, -1); /* and back */
    assert_status(get("/metrics"), 200);
}

TEST(a_socket_is_handed_over_without_a_gap)
{
    struct error error;
    close(connect_to(&address));
    int lent = metrics_server_lend(server);
    assert_true(lent >= 0);
    struct metrics_server *next = metrics_server_start(look_at, NULL, &error);
    metrics_server_hand_over(server);
    metrics_server_stop(server);
    /* In between nobody serves, and a connection waits instead of failing. */
    int fd = connect_to(&address);
    address.mode = 0640; /* of the next process' map */
    metrics_server_listen(next, &address, lent);
    send(fd, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 35, MSG_NOSIGNAL);
    assert_status(receive(fd), 200);
    struct stat status;
    assert_int_equal(stat(path_of(&address), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    server = next;
}
