/* Connections to a peer that does what no library of gRPC does: what becomes of the channel, of its calls, and how often it
   connects. The test is the peer; the channel lives on a worker's thread. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "core/transport/channel.h"
#include "core/transport/header_limit.h"
#include "core/transport/query.h"
#include "tests/cmocka.h"
#include "tests/unit/socket_fixture.h"

#define MOST_CHANGES 64
#define PATIENCE_MS 20000

enum { HEADERS = 1, SETTINGS = 4, PING = 6, GOAWAY = 7 };
enum { END_STREAM = 1, END_HEADERS = 4 };

static struct fixture {
    char folder[32];
    char path[48];
    char endpoint[64];
    int listener;
    pthread_t thread;
    struct worker worker;
    struct channel channel;
    sem_t done;    /* what was asked of the worker's thread */
    sem_t changed; /* once for each change */
    sem_t answered;
    enum channel_state states[MOST_CHANGES];
    int errors[MOST_CHANGES];
    atomic_uint changes;
    unsigned looked;

    /* Of the last query. */
    int64_t milliseconds;                            /* that queries have */
    atomic_uint answers[STATUS_UNAUTHENTICATED + 1]; /* with that code */
    struct error error;                              /* if it was one alone */
    bool was_up;                                     /* when it ended */
} fixture;

/* ---- the channel, on the worker's thread ---- */

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

static void on_changed(struct channel *channel)
{
    unsigned change = fixture.changes++;
    if (change < MOST_CHANGES) {
        fixture.states[change] = channel->state;
        fixture.errors[change] = channel->error;
        sem_post(&fixture.changed);
    }
}

static void on_drained(struct channel *channel)
{
    (void)channel;
    worker_close(&fixture.worker);
}

static void open_channel(void)
{
    channel_open(&fixture.channel, fixture.endpoint, 1 << 20, &fixture.worker, on_changed, on_drained);
}

static void close_channel(void)
{
    channel_close(&fixture.channel);
}

static void on_answer(void *state, const struct error *error, struct bytes answer)
{
    (void)answer;
    fixture.error = *error;
    fixture.answers[error->code]++;
    fixture.was_up = channel_is_up(&fixture.channel);
    sem_post(&fixture.answered);
}

static void ask(void)
{
    assert_non_null(query_start(&fixture.channel, "/service/Method", (struct bytes){0}, fixture.milliseconds, on_answer, NULL));
}

static void *work(void *worker)
{
    worker_run(worker);
    return NULL;
}

/* The state after the next change. */
static enum channel_state next_state(void)
{
    sem_wait(&fixture.changed);
    return fixture.states[fixture.looked++];
}

static void listen_there(void)
{
    fixture.listener = listen_at(fixture.path);
}

static int begin(void **state)
{
    fixture = (struct fixture){.folder = "/tmp/channel_test.XXXXXX", .listener = -1, .milliseconds = PATIENCE_MS};
    assert_non_null(mkdtemp(fixture.folder));
    snprintf(fixture.path, sizeof fixture.path, "%s/socket", fixture.folder);
    snprintf(fixture.endpoint, sizeof fixture.endpoint, "unix://%s", fixture.path);
    sem_init(&fixture.done, 0, 0);
    sem_init(&fixture.changed, 0, 0);
    sem_init(&fixture.answered, 0, 0);
    worker_init(&fixture.worker);
    return pthread_create(&fixture.thread, NULL, work, &fixture.worker);
}

static int end(void **state)
{
    on_worker(close_channel);
    pthread_join(fixture.thread, NULL);
    if (fixture.listener >= 0) {
        close(fixture.listener);
    }
    unlink(fixture.path);
    return rmdir(fixture.folder);
}

/* ---- the peer ---- */

static int accept_one(void)
{
    int fd = accept(fixture.listener, NULL, NULL);
    assert_true(fd >= 0);
    return fd;
}

static void send_frame(int fd, uint8_t type, uint8_t flags, uint8_t stream, const void *payload, size_t size)
{
    uint8_t frame[256] = {0, 0, (uint8_t)size, type, flags, 0, 0, 0, stream};
    memcpy(frame + FRAME_HEADER_SIZE, payload, size);
    assert_int_equal(send(fd, frame, FRAME_HEADER_SIZE + size, MSG_NOSIGNAL), FRAME_HEADER_SIZE + size);
}

static int accept_and_settle(void)
{
    int fd = accept_one();
    send_frame(fd, SETTINGS, 0, 0, "", 0);
    assert_int_equal(next_state(), CHANNEL_UP);
    return fd;
}

static bool contains(const uint8_t *bytes, size_t size, const char *text)
{
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* Until a call has arrived, with what servers look at. */
static void read_call(int fd)
{
    uint8_t bytes[65536];
    size_t size = 0;
    while (!contains(bytes, size, "/service/Method") || !contains(bytes, size, "localhost") ||
           !contains(bytes, size, "grpc-c/") || !contains(bytes, size, "grpc-timeout")) {
        ssize_t got = recv(fd, bytes + size, sizeof bytes - size, 0);
        assert_true(got > 0);
        size += (size_t)got;
    }
}

static void answer_not_found(int fd)
{
    static const uint8_t block[] = "\0\x07:status\x03"
                                   "200"
                                   "\0\x0c"
                                   "content-type\x10"
                                   "application/grpc"
                                   "\0\x0bgrpc-status\x01"
                                   "5";
    send_frame(fd, HEADERS, END_HEADERS | END_STREAM, 1, block, sizeof block - 1);
}

/* Whether the other side hangs up, whatever it sends before. */
static bool is_hung_up_on(int fd)
{
    uint8_t bytes[4096];
    ssize_t got = 1;
    struct pollfd look = {.fd = fd, .events = POLLIN};
    while (got > 0 && poll(&look, 1, PATIENCE_MS) > 0) {
        got = recv(fd, bytes, sizeof bytes, 0);
    }
    return got <= 0;
}

/* ---- the tests ---- */

EACH_TEST(begin, end)

TEST(up_with_settings)
{
    listen_there();
    on_worker(open_channel);
    int fd = accept_one();
    assert_int_equal(poll(NULL, 0, 50), 0);
    assert_int_equal(fixture.changes, 0);
    send_frame(fd, SETTINGS, 0, 0, "", 0);
    assert_int_equal(next_state(), CHANNEL_UP);
    close(fd);
    assert_int_equal(next_state(), CHANNEL_CONNECTING);
    close(accept_and_settle());
}

TEST(nobody_there)
{
    on_worker(open_channel);
    assert_int_equal(next_state(), CHANNEL_FAILED);
    assert_int_equal(fixture.errors[0], ENOENT);
    on_worker(ask);
    sem_wait(&fixture.answered);

    assert_int_equal(fixture.error.code, STATUS_UNAVAILABLE);
    assert_non_null(strstr(fixture.error.message, "No such file"));
    listen_there();
    close(accept_and_settle());
}

TEST(nobody_listens)
{
    listen_there();
    close(fixture.listener);
    fixture.listener = -1;
    on_worker(open_channel);
    assert_int_equal(next_state(), CHANNEL_FAILED);
    assert_int_equal(fixture.errors[0], ECONNREFUSED);
}

/* The state is known when a call fails for it. */
TEST(lost_in_a_call)
{
    listen_there();
    on_worker(open_channel);
    for (int i = 0; i < 10; i++) {
        int fd = accept_and_settle();
        on_worker(ask);
        read_call(fd);
        close(fd);
        sem_wait(&fixture.answered);
        assert_int_equal(fixture.error.code, STATUS_UNAVAILABLE);
        assert_false(fixture.was_up);
        assert_int_equal(next_state(), CHANNEL_CONNECTING);
    }
}

static void look_at_channel(void)
{
    fixture.was_up = channel_is_up(&fixture.channel);
}

static void wait_until_not_up(void)
{
    do {
        on_worker(look_at_channel);
    } while (fixture.was_up);
}

static void send_goaway(int fd)
{
    static const uint8_t last[] = {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    send_frame(fd, GOAWAY, 0, 0, last, sizeof last);
    wait_until_not_up();
}

/* The next call goes over another connection; the one under way ends where it began. */
TEST(goaway)
{
    listen_there();
    on_worker(open_channel);
    int before = accept_and_settle();
    on_worker(ask);
    read_call(before);
    fixture.channel.connected -= NANOSECONDS_A_SECOND; /* it has lasted */
    send_goaway(before);
    on_worker(ask);
    int after = accept_and_settle();
    answer_not_found(before);
    sem_wait(&fixture.answered);
    assert_true(is_hung_up_on(before)); /* with its last call */
    close(before);
    read_call(after);
    answer_not_found(after);
    sem_wait(&fixture.answered);
    assert_int_equal(fixture.answers[STATUS_NOT_FOUND], 2);
    assert_int_equal(fixture.changes, 2); /* up, and up again */
    close(after);
}

/* A peer that sends everyone away at once gets no more connections than one that closes them. */
TEST(goaway_at_once)
{
    listen_there();
    on_worker(open_channel);
    int before = accept_and_settle();
    send_goaway(before);
    on_worker(ask);
    sem_wait(&fixture.answered);
    assert_int_equal(fixture.error.code, STATUS_UNAVAILABLE);
    assert_int_equal(next_state(), CHANNEL_CONNECTING);
    close(accept_and_settle());
    close(before);
}

/* C core gives such a connection up, although the peer does not. */
TEST(broken_frame)
{
    static const uint8_t nothing[1];
    listen_there();
    on_worker(open_channel);
    int fd = accept_and_settle();
    send_frame(fd, SETTINGS, 0, 0, nothing, sizeof nothing);
    assert_int_equal(next_state(), CHANNEL_CONNECTING);
    assert_true(is_hung_up_on(fd));
    close(fd);
}

/* Takes connections for a second and a half, and ends each of them. */
static unsigned count_connections(bool settled)
{
    unsigned count = 0;
    struct pollfd look = {.fd = fixture.listener, .events = POLLIN};
    int64_t end = clock_ns() + 3 * NANOSECONDS_A_SECOND / 2;
    while (clock_ns() < end) {
        if (poll(&look, 1, 100) > 0) {
            int fd = accept_one();
            if (settled) {
                send_frame(fd, SETTINGS, 0, 0, "", 0);
            }
            close(fd);
            count++;
        }
    }
    return count;
}

TEST(closed_at_once)
{
    listen_there();
    on_worker(open_channel);
    unsigned count = count_connections(false);
    assert_true(count >= 2 && count <= 6);
}

TEST(closed_after_settings)
{
    listen_there();
    on_worker(open_channel);
    unsigned count = count_connections(true);
    assert_true(count >= 2 && count <= 6);
}

#define MANY 3000

static void ask_many(void)
{
    for (int i = 0; i < MANY; i++) {
        ask();
    }
}

/* A call ends with its deadline, whether its request has left or not. */
TEST(unread)
{
    listen_there();
    on_worker(open_channel);
    int fd = accept_and_settle();
    fixture.milliseconds = 500;
    on_worker(ask_many);
    for (int i = 0; i < MANY; i++) {
        sem_wait(&fixture.answered);
    }
    assert_int_equal(fixture.answers[STATUS_DEADLINE_EXCEEDED], MANY);
    assert_int_equal(fixture.changes, 1); /* for which it needed not hang up */
    close(fd);
}

TEST(no_window)
{
    static const uint8_t no_initial_window[] = {0, 4, 0, 0, 0, 0};
    listen_there();
    on_worker(open_channel);
    int fd = accept_one();
    send_frame(fd, SETTINGS, 0, 0, no_initial_window, sizeof no_initial_window);
    assert_int_equal(next_state(), CHANNEL_UP);
    fixture.milliseconds = 300;
    on_worker(ask);
    sem_wait(&fixture.answered);
    assert_int_equal(fixture.error.code, STATUS_DEADLINE_EXCEEDED);
    assert_string_equal(fixture.error.message, QUERY_TOO_LATE " 0.3 s");
    close(fd);
}

/* The peer makes C core write answers to PING, and does not read them. */
TEST(unread_pings)
{
    static uint8_t pings[1000][17];
    listen_there();
    on_worker(open_channel);
    int fd = accept_and_settle();
    for (int i = 0; i < 1000; i++) {
        pings[i][2] = 8;
        pings[i][3] = PING;
    }
    fixture.milliseconds = 300;
    for (int i = 0; i < 100; i++) {
        on_worker(ask);
        send(fd, pings, sizeof pings, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (int i = 0; i < 100; i++) {
        sem_wait(&fixture.answered);
    }
    assert_int_equal(fixture.answers[STATUS_OK], 0);
    close(fd);
}

static void hang_up(void)
{
    channel_hang_up(&fixture.channel);
}

TEST(hung_up_on)
{
    listen_there();
    on_worker(open_channel);
    int fd = accept_and_settle();
    on_worker(hang_up);
    assert_int_equal(next_state(), CHANNEL_CONNECTING);
    assert_true(is_hung_up_on(fd));
    close(fd);
    close(accept_and_settle());
}

int main(void)
{
    grpc_init();
    int failed = tests_run();
    grpc_shutdown_blocking();
    return failed;
}
