#include "core/loop/poll_thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/clock.h"

/* After a failure of poll, which would be the same at once again. */
#define PAUSE_MS 100
#define MORE_ROOM 16

struct poll_thread {
    TAILQ_HEAD(, watch) watches;
    size_t count;
    struct pollfd *waits;  /* the argument of poll, */
    struct watch **polled; /* and for each of these the watch that it is of; NULL: it was removed meanwhile */
    size_t polled_count;
    size_t room;
    struct watch end;
    bool ending;
    bool running;
    struct log_limit failures;
    pthread_t thread;
};

void poll_thread_add(struct poll_thread *poll_thread, struct watch *watch)
{
    poll_thread_remove(poll_thread, watch);
    TAILQ_INSERT_TAIL(&poll_thread->watches, watch, link);
    poll_thread->count++;
}

void poll_thread_remove(struct poll_thread *poll_thread, struct watch *watch)
{
    struct watch *known;
    TAILQ_FOREACH(known, &poll_thread->watches, link)
    {
        if (known == watch) {
            TAILQ_REMOVE(&poll_thread->watches, watch, link);
            poll_thread->count--;
            break;
        }
    }
    for (size_t i = 0; i < poll_thread->polled_count; i++) {
        poll_thread->polled[i] = poll_thread->polled[i] == watch ? NULL : poll_thread->polled[i];
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

/* Room for all watches. false: no memory, and those that there was room for before are polled. */
static bool make_room(struct poll_thread *poll_thread)
{
    size_t room = poll_thread->count + MORE_ROOM;
    if (poll_thread->count <= poll_thread->room) {
        return true;
    }
    struct pollfd *waits = realloc(poll_thread->waits, room * sizeof *waits);
    poll_thread->waits = waits ? waits : poll_thread->waits;
    struct watch **polled = realloc(poll_thread->polled, room * sizeof(struct watch *));
    poll_thread->polled = polled ? polled : poll_thread->polled;
    poll_thread->room = waits && polled ? room : poll_thread->room;
    return waits && polled;
}

/* Fills the argument of poll, and returns how long it may wait. */
static int prepare(struct poll_thread *poll_thread)
{
    int64_t due = make_room(poll_thread) ? 0 : clock_ns() + PAUSE_MS * NANOSECONDS_A_MILLISECOND;
    struct watch *watch;
    poll_thread->polled_count = 0;
    TAILQ_FOREACH(watch, &poll_thread->watches, link)
    {
        if (poll_thread->polled_count == poll_thread->room) {
            break;
        }
        poll_thread->waits[poll_thread->polled_count] = (struct pollfd){.fd = watch->fd, .events = watch->events};
        poll_thread->polled[poll_thread->polled_count++] = watch;
        if (watch->due != 0 && (due == 0 || watch->due < due)) {
            due = watch->due;
        }
    }
    return due == 0 ? -1 : milliseconds_until(due);
}

/* A watch may have been removed by an earlier one, or got another descriptor, which poll knows nothing of. */
static void run_watches(struct poll_thread *poll_thread)
{
    int64_t now = clock_ns();
    for (size_t i = 0; i < poll_thread->polled_count && !poll_thread->ending; i++) {
        struct watch *watch = poll_thread->polled[i];
        const struct pollfd *wait = &poll_thread->waits[i];
        if (!watch) {
            continue;
        }
        if (wait->revents != 0 && watch->fd == wait->fd) {
            watch->run(watch, wait->revents);
        } else if (watch->due != 0 && watch->due <= now) {
            watch->due = 0;
            watch->run(watch, 0);
        }
    }
    poll_thread->polled_count = 0;
}

static void pause_after_failure(struct poll_thread *poll_thread, int failure)
{
    unsigned others;
    if (failure == EINTR) {
        return;
    }
    if (log_limit_allows(&poll_thread->failures, &others)) {
        log_line(LOG_SERIOUS, "cannot wait for callers, signals and files: %s", strerror(failure));
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * NANOSECONDS_A_MILLISECOND}, NULL);
}

static void *poll_all(void *argument)
{
    struct poll_thread *poll_thread = argument;
    while (!poll_thread->ending) {
        int timeout = prepare(poll_thread);
        if (poll(poll_thread->waits, poll_thread->polled_count, timeout) >= 0) {
            run_watches(poll_thread);
        } else {
            pause_after_failure(poll_thread, errno);
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
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot create an event descriptor: %s", strerror(errno));
        free(poll_thread);
        return NULL;
    }
    TAILQ_INIT(&poll_thread->watches);
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
        free(poll_thread->waits);
        free(poll_thread->polled);
        free(poll_thread);
    }
}
