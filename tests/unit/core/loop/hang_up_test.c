/* A worker learns that sockets have hung up, once for each, whoever has done it. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/loop/hang_up.h"
#include "tests/cmocka.h"

#define MANY 500

static struct worker worker;
static pthread_t thread;
static sem_t seen;

struct watched {
    struct hang_up hang_up;
    int ends[2]; /* what is watched, and its peer */
    unsigned times;
};

static void on_hung_up(struct hang_up *hang_up)
{
    struct watched *watched = completion_owner(hang_up, struct watched, hang_up);
    assert_true(pthread_equal(pthread_self(), thread));
    watched->times++;
    close(watched->ends[0]);
    sem_post(&seen);
}

/* Watched from the worker's thread. */
struct chore {
    struct completion completion;
    struct watched *watched;
    bool good;
};

static void on_chore(struct completion *completion, bool ok)
{
    (void)ok;
    struct chore *chore = completion_owner(completion, struct chore, completion);
    chore->good = hang_up_watch(&chore->watched->hang_up, &worker, chore->watched->ends[0], on_hung_up);
    sem_post(&seen);
}

static bool watch_from_worker(struct watched *watched)
{
    struct chore chore = {.completion.run = on_chore, .watched = watched};
    assert_true(worker_post(&worker, &chore.completion));
    sem_wait(&seen);
    return chore.good;
}

static void make(struct watched *watched)
{
    *watched = (struct watched){0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, watched->ends), 0);
}

static void watch(struct watched *watched)
{
    make(watched);
    assert_true(watch_from_worker(watched));
}

static void *work(void *unused)
{
    (void)unused;
    worker_run(&worker);
    return NULL;
}

static int begin(void **state)
{
    worker_init(&worker);
    sem_init(&seen, 0, 0);
    return pthread_create(&thread, NULL, work, NULL);
}

/* The loop ends only after the last socket has hung up. */
static int end(void **state)
{
    struct watched watched;
    watch(&watched);
    worker_close(&worker);
    bool waits = !worker_post(&worker, &watched.hang_up.completion) && sem_trywait(&seen) != 0;
    close(watched.ends[1]);
    return pthread_join(thread, NULL) == 0 && waits && watched.times == 1 ? 0 : -1;
}

ALL_TESTS(begin, end)

TEST(peer_closes)
{
    struct watched watched;
    watch(&watched);
    assert_int_equal(send(watched.ends[1], "x", 1, 0), 1); /* which is no reason */
    assert_int_equal(sem_trywait(&seen), -1);
    close(watched.ends[1]);
    sem_wait(&seen);
    assert_int_equal(watched.times, 1);
}

TEST(peer_sends_no_more)
{
    struct watched watched;
    watch(&watched);
    shutdown(watched.ends[1], SHUT_WR);
    sem_wait(&seen);
    close(watched.ends[1]);
    assert_int_equal(watched.times, 1);
}

TEST(own_side_shuts_down)
{
    struct watched watched;
    watch(&watched);
    shutdown(watched.ends[0], SHUT_RDWR);
    sem_wait(&seen);
    close(watched.ends[1]);
    assert_int_equal(watched.times, 1);
}

TEST(already_gone)
{
    struct watched watched;
    make(&watched);
    close(watched.ends[1]);
    assert_true(watch_from_worker(&watched));
    sem_wait(&seen);
    assert_int_equal(watched.times, 1);
}

TEST(not_a_socket)
{
    struct watched watched = {.ends = {-1, -1}};
    assert_false(watch_from_worker(&watched));
}

TEST(many)
{
    static struct watched watched[MANY];
    for (int i = 0; i < MANY; i++) {
        watch(&watched[i]);
    }
    for (int i = 0; i < MANY; i++) {
        close(watched[i].ends[1]);
    }
    for (int i = 0; i < MANY; i++) {
        sem_wait(&seen);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(watched[i].times, 1);
    }
}

int main(void)
{
    grpc_init();
    int failed = tests_run();
    grpc_shutdown_blocking();
    return failed;
}
