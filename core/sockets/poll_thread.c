#include "core/sockets/poll_thread.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/clock.h"

struct poll_thread {
    struct watch *watches[POLL_THREAD_WATCHES]; /* NULL: free */
    struct watch end;
    bool ending;
    bool running;
    pthread_t thread;
};

void poll_thread_add(struct poll_thread *poll_thread, struct watch *watch)
{
    poll_thread_remove(poll_thread, watch);
    size_t place = 0;
    while (place < POLL_THREAD_WATCHES && poll_thread->watches[place]) {
        place++;
    }
    assert(place < POLL_THREAD_WATCHES);
    poll_thread->watches[place] = watch;
}

void poll_thread_remove(struct poll_thread *poll_thread, struct watch *watch)
{
    for (size_t i = 0; i < POLL_THREAD_WATCHES; i++) {
        if (poll_thread->watches[i] == watch) {
            poll_thread->watches[i] = NULL;
        }
    }
}

void watch_arm(struct watch *watch, int64_t milliseconds)
{
    watch->due = clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND;
}

/* ---- the thread ---- */

static int milliseconds_until(int64_t due)
{
    int64_t left = due - clock_ns();
    return left <= 0 ? 0 : (int)((left + NANOSECONDS_A_MILLISECOND - 1) / NANOSECONDS_A_MILLISECOND);
}

/* Fills the argument of poll, one entry for each watch, and returns how long it may wait. */
static int prepare(const struct poll_thread *poll_thread, struct pollfd *waits)
{
    int64_t due = 0;
    for (size_t i = 0; i < POLL_THREAD_WATCHES; i++) {
        const struct watch *watch = poll_thread->watches[i];
        waits[i] = (struct pollfd){.fd = watch ? watch->fd : -1, .events = watch ? watch->events : (short)0};
        if (watch && watch->due != 0 && (due == 0 || watch->due < due)) {
            due = watch->due;
        }
    }
    return due == 0 ? -1 : milliseconds_until(due);
}

/* A watch may have been removed by an earlier one, or replaced by one that poll knows nothing of. */
static void run_watches(struct poll_thread *poll_thread, struct watch *const *polled, const struct pollfd *waits)
{
    int64_t now = clock_ns();
    for (size_t i = 0; i < POLL_THREAD_WATCHES && !poll_thread->ending; i++) {
        struct watch *watch = poll_thread->watches[i];
        if (!watch || watch != polled[i]) {
            continue;
        }
        if (waits[i].revents != 0 && watch->fd == waits[i].fd) {
            watch->run(watch, waits[i].revents);
        } else if (watch->due != 0 && watch->due <= now) {
            watch->due = 0;
            watch->run(watch, 0);
        }
    }
}

static void *poll_all(void *argument)
{
    struct poll_thread *poll_thread = argument;
    while (!poll_thread->ending) {
        struct pollfd waits[POLL_THREAD_WATCHES];
        struct watch *polled[POLL_THREAD_WATCHES];
        int timeout = prepare(poll_thread, waits);
        memcpy(polled, poll_thread->watches, sizeof polled);
        if (poll(waits, POLL_THREAD_WATCHES, timeout) >= 0) {
            run_watches(poll_thread, polled, waits);
        }
    }
    return NULL;
}

static void on_end(struct watch *watch, short happened)
{
    (void)happened;
    watch_owner(watch, struct poll_thread, end)->ending = true;
}

/* ---- start and end ---- */

struct poll_thread *poll_thread_new(struct error *error)
{
    struct poll_thread *poll_thread = calloc(1, sizeof *poll_thread);
    if (!poll_thread) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    poll_thread->end = (struct watch){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN, .run = on_end};
    if (poll_thread->end.fd < 0) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot make an event descriptor: %s", strerror(errno));
        free(poll_thread);
        return NULL;
    }
    poll_thread_add(poll_thread, &poll_thread->end);
    return poll_thread;
}

bool poll_thread_start(struct poll_thread *poll_thread, struct error *error)
{
    int failure = pthread_create(&poll_thread->thread, NULL, poll_all, poll_thread);
    poll_thread->running = failure == 0;
    return poll_thread->running || error_set(error, STATUS_INTERNAL, "cannot start a thread: %s", strerror(failure));
}

void poll_thread_stop(struct poll_thread *poll_thread)
{
    if (poll_thread->running) {
        eventfd_write(poll_thread->end.fd, 1);
        pthread_join(poll_thread->thread, NULL);
        poll_thread->running = false;
    }
}

void poll_thread_close(struct poll_thread *poll_thread)
{
    if (poll_thread) {
        poll_thread_stop(poll_thread);
        close(poll_thread->end.fd);
        free(poll_thread);
    }
}
