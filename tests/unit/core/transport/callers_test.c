/* Connections of callers: how many there may be, how they are told to go, and which are closed because they do not read. The test
   is the callers; the server lives on a worker's thread. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "core/transport/c_core.h"
#include "core/transport/callers.h"
#include "tests/cmocka.h"

#define PATIENCE_MS 20000
#define UNREAD_MS 100
#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

enum { SETTINGS = 4, PING = 6, GOAWAY = 7 };

static struct fixture {
    struct worker worker;
    pthread_t thread;
    grpc_server *server;
    struct callers callers;
    struct completion shut_down;
    sem_t done;
    sem_t emptied;
    size_t count;
    struct caller first; /* a copy */
    bool any_is_full;
} fixture;

struct chore {
    struct completion completion;
    void (*run)(void);
};

static void on_chore(struct completion *completion, bool ok)
{
    (void)ok;
    completion_owner(completion, struct chore, completion)->run();
    sem_post(&fixture.done);
}

static void on_worker(void (*run)(void))
{
    struct chore chore = {.completion.run = on_chore, .run = run};
    assert_true(worker_post(&fixture.worker, &chore.completion));
    sem_wait(&fixture.done);
}

static void *work(void *unused)
{
    (void)unused;
    worker_run(&fixture.worker);
    return NULL;
}

static void on_emptied(void *state)
{
    assert_ptr_equal(state, &fixture);
    sem_post(&fixture.emptied);
}

static int begin(void **state)
{
    const struct transport_bounds bounds = {.message_size = 1 << 20, .streams = 16};
    fixture = (struct fixture){0};
    sem_init(&fixture.done, 0, 0);
    sem_init(&fixture.emptied, 0, 0);
    worker_init(&fixture.worker);
    fixture.server = transport_server(fixture.worker.queue, &bounds);
    grpc_server_start(fixture.server);
    callers_begin(&fixture.callers, &fixture.worker, fixture.server, on_emptied, &fixture);
    return pthread_create(&fixture.thread, NULL, work, NULL);
}

static void on_shut_down(struct completion *completion, bool ok)
{
    (void)completion;
    (void)ok;
    grpc_server_destroy(fixture.server);
    worker_close(&fixture.worker);
}

static void shut_down(void)
{
    callers_end(&fixture.callers);
    fixture.shut_down.run = on_shut_down;
    grpc_server_shutdown_and_notify(fixture.server, fixture.worker.queue, &fixture.shut_down);
}

/* After the last caller has gone. */
static int end(void **state)
{
    on_worker(shut_down);
    int failure = pthread_join(fixture.thread, NULL);
    callers_free(&fixture.callers);
    return failure;
}

static void count(void)
{
    const struct caller *first = LIST_FIRST(&fixture.callers.all);
    fixture.count = fixture.callers.count;
    if (first) {
        fixture.first = (struct caller){.peer = first->peer, .since = first->since, .calls = first->calls};
    }
}

static size_t count_callers(void)
{
    on_worker(count);
    return fixture.count;
}

/* A caller's end of a connection, which has arrived. */
static int connect_caller(size_t most)
{
    int ends[2];
    struct peer peer = {.pid = 12, .uid = 34, .gid = 56};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    if (!callers_admit(&fixture.callers, ends[1], &peer, callers_socket(&fixture.callers, "/run/x.sock"), most)) {
        close(ends[1]);
    }
    count_callers();
    return ends[0];
}

static void send_all(int fd, const void *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
}

static int connect_http2_caller(void)
{
    static const uint8_t settings[9] = {[3] = SETTINGS};
    int fd = connect_caller(100);
    send_all(fd, PREFACE, sizeof PREFACE - 1);
    send_all(fd, settings, sizeof settings);
    return fd;
}

/* What comes until there is no more for the moment, or the connection is at its end. Returns whether it is. */
static bool read_until_end(int fd)
{
    uint8_t bytes[4096];
    ssize_t got = 1;
    struct pollfd look = {.fd = fd, .events = POLLIN};
    while (got > 0 && poll(&look, 1, PATIENCE_MS) > 0) {
        got = recv(fd, bytes, sizeof bytes, 0);
    }
    return got <= 0;
}

static bool reads_goaway(int fd)
{
    uint8_t header[9], payload[256];
    struct pollfd look = {.fd = fd, .events = POLLIN};
    while (poll(&look, 1, PATIENCE_MS) > 0 && recv(fd, header, sizeof header, 0) == sizeof header) {
        size_t size = (size_t)header[1] << 8 | header[2];
        assert_true(size <= sizeof payload);
        assert_int_equal(size > 0 ? recv(fd, payload, size, 0) : 0, size);
        if (header[3] == GOAWAY) {
            return true;
        }
    }
    return false;
}

static void close_last(int fd)
{
    close(fd);
    sem_wait(&fixture.emptied);
}

/* ---- the tests ---- */

EACH_TEST(begin, end)

TEST(comes_and_goes)
{
    int fd = connect_caller(2);
    assert_int_equal(count_callers(), 1);
    assert_int_equal(fixture.first.peer.pid, 12);
    assert_int_equal(fixture.first.peer.uid, 34);
    assert_true(fixture.first.since > 0);
    assert_int_equal(fixture.first.calls, 0);
    close_last(fd);
    assert_int_equal(count_callers(), 0);
}

TEST(too_many)
{
    int first = connect_caller(2);
    int second = connect_caller(2);
    int third = connect_caller(2);
    assert_true(read_until_end(third));
    assert_int_equal(count_callers(), 2);
    close(third);
    close(second);
    while (count_callers() > 1) {
        poll(NULL, 0, 1);
    }
    int fourth = connect_caller(2);
    close(first);
    close_last(fourth);
}

static void end_callers(void)
{
    callers_end(&fixture.callers);
}

TEST(none_after_the_end)
{
    on_worker(end_callers);
    int fd = connect_caller(2);
    assert_true(read_until_end(fd));
    assert_int_equal(count_callers(), 0);
    close(fd);
}

static void send_goaway(void)
{
    caller_send_goaway(LIST_FIRST(&fixture.callers.all));
}

TEST(goaway)
{
    int fd = connect_http2_caller();
    on_worker(send_goaway);
    assert_true(reads_goaway(fd));
    close_last(fd);
}

static void shut_down_caller(void)
{
    caller_shut_down(LIST_FIRST(&fixture.callers.all));
}

TEST(a_caller_that_is_shut_down)
{
    int fd = connect_http2_caller();
    on_worker(shut_down_caller);
    assert_true(read_until_end(fd));
    sem_wait(&fixture.emptied);
    close(fd);
}

static void look_for_unread(void)
{
    fixture.any_is_full = callers_shut_down_unread(&fixture.callers, UNREAD_MS, "");
}

/* As if the last look was long ago, and nothing had been read since. */
static void wait_long(void)
{
    struct caller *caller;
    fixture.callers.looked -= 10 * UNREAD_MS * NANOSECONDS_A_MILLISECOND;
    LIST_FOREACH(caller, &fixture.callers.all, others)
    {
        caller->full_since -= caller->full_since > 0 ? 10 * UNREAD_MS * NANOSECONDS_A_MILLISECOND : 0;
    }
}

static void note_full(void)
{
    const struct caller *caller;
    fixture.any_is_full = false;
    LIST_FOREACH(caller, &fixture.callers.all, others)
    {
        struct pollfd look = {.fd = caller->fd, .events = POLLOUT};
        fixture.any_is_full = fixture.any_is_full || poll(&look, 1, 0) == 0;
    }
}

/* Has C core answer so many PINGs that the socket is full. */
static void fill(int fd)
{
    uint8_t ping[17] = {[2] = 8, [3] = PING};
    do {
        for (int i = 0; i < 100; i++) {
            send(fd, ping, sizeof ping, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
        on_worker(note_full);
    } while (!fixture.any_is_full);
}

TEST(unread)
{
    int reads = connect_http2_caller();
    int reads_not = connect_http2_caller();
    fill(reads_not);
    on_worker(look_for_unread);
    assert_true(fixture.any_is_full);
    on_worker(wait_long);
    on_worker(look_for_unread); /* it is not known what was read between two looks that are far apart */
    assert_int_equal(count_callers(), 2);
    while (count_callers() > 1) {
        on_worker(look_for_unread);
    }
    assert_true(read_until_end(reads_not));
    close(reads_not);
    on_worker(wait_long);
    on_worker(look_for_unread);
    assert_false(fixture.any_is_full);
    assert_int_equal(count_callers(), 1);
    close_last(reads);
}

/* A block of headers without end. */
TEST(headers_without_end)
{
    static const uint8_t headers[9 + 16384] = {[1] = 0x40, [3] = 1, [8] = 1};
    static const uint8_t more[9 + 16384] = {[1] = 0x40, [3] = 9, [8] = 1};
    int fd = connect_http2_caller();
    struct pollfd look = {.fd = fd, .events = POLLOUT | POLLRDHUP};
    send(fd, headers, sizeof headers, MSG_NOSIGNAL);
    while (poll(&look, 1, PATIENCE_MS) > 0 && (look.revents & (POLLRDHUP | POLLHUP)) == 0) {
        send(fd, more, sizeof more, MSG_NOSIGNAL);
    }
    assert_true((look.revents & (POLLRDHUP | POLLHUP)) != 0);
    sem_wait(&fixture.emptied);
    close(fd);
}

int main(void)
{
    transport_init();
    int failed = tests_run();
    grpc_shutdown_blocking();
    return failed;
}
