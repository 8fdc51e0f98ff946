#include "poll_thread.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/worker.h"

#define NANOSECONDS_A_MILLISECOND 1000000LL

struct doorkeeper {
    struct watch *watches[DOORKEEPER_WATCHES]; /* NULL: free */
    struct watch end;
    bool ending;
    bool running;
    pthread_t thread;
};

void doorkeeper_add(struct doorkeeper *doorkeeper, struct watch *watch)
{
    doorkeeper_remove(doorkeeper, watch);
    size_t place = 0;
    while (place < DOORKEEPER_WATCHES && doorkeeper->watches[place]) {
        place++;
    }
    assert(place < DOORKEEPER_WATCHES);
    doorkeeper->watches[place] = watch;
}

void doorkeeper_remove(struct doorkeeper *doorkeeper, struct watch *watch)
{
    for (size_t i = 0; i < DOORKEEPER_WATCHES; i++) {
        if (doorkeeper->watches[i] == watch) {
            doorkeeper->watches[i] = NULL;
        }
    }
}

void watch_arm(struct watch *watch, int64_t milliseconds)
{
    watch->due = worker_now() + milliseconds * NANOSECONDS_A_MILLISECOND;
}

/* ---- the thread ---- */

static int milliseconds_until(int64_t due)
{
    int64_t left = due - worker_now();
    return left <= 0 ? 0 : (int)((left + NANOSECONDS_A_MILLISECOND - 1) / NANOSECONDS_A_MILLISECOND);
}

/* Fills what poll takes, a place a watch, and tells how long it may wait. */
static int prepare(const struct doorkeeper *doorkeeper, struct pollfd *waits)
{
    int64_t due = 0;
    for (size_t i = 0; i < DOORKEEPER_WATCHES; i++) {
        const struct watch *watch = doorkeeper->watches[i];
        waits[i] = (struct pollfd){.fd = watch ? watch->fd : -1, .events = watch ? watch->events : (short)0};
        if (watch && watch->due != 0 && (due == 0 || watch->due < due)) {
            due = watch->due;
        }
    }
    return due == 0 ? -1 : milliseconds_until(due);
}

/* A watch that an earlier one removed has left its place, or another one sits there, of which poll said nothing. */
static void run_watches(struct doorkeeper *doorkeeper, struct watch *const *polled, const struct pollfd *waits)
{
    int64_t now = worker_now();
    for (size_t i = 0; i < DOORKEEPER_WATCHES && !doorkeeper->ending; i++) {
        struct watch *watch = doorkeeper->watches[i];
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

static void *keep_doors(void *argument)
{
    struct doorkeeper *doorkeeper = argument;
    while (!doorkeeper->ending) {
        struct pollfd waits[DOORKEEPER_WATCHES];
        struct watch *polled[DOORKEEPER_WATCHES];
        int timeout = prepare(doorkeeper, waits);
        memcpy(polled, doorkeeper->watches, sizeof polled);
        if (poll(waits, DOORKEEPER_WATCHES, timeout) >= 0) {
            run_watches(doorkeeper, polled, waits);
        }
    }
    return NULL;
}

static void on_end(struct watch *watch, short happened)
{
    (void)happened;
    watch_owner(watch, struct doorkeeper, end)->ending = true;
}

/* ---- start and end ---- */

struct doorkeeper *doorkeeper_new(struct error *error)
{
    struct doorkeeper *doorkeeper = calloc(1, sizeof *doorkeeper);
    if (!doorkeeper) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    doorkeeper->end = (struct watch){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN, .run = on_end};
    if (doorkeeper->end.fd < 0) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot make an event descriptor: %s", strerror(errno));
        free(doorkeeper);
        return NULL;
    }
    doorkeeper_add(doorkeeper, &doorkeeper->end);
    return doorkeeper;
}

bool doorkeeper_start(struct doorkeeper *doorkeeper, struct error *error)
{
    int failure = pthread_create(&doorkeeper->thread, NULL, keep_doors, doorkeeper);
    doorkeeper->running = failure == 0;
    return doorkeeper->running || error_set(error, STATUS_INTERNAL, "cannot start a thread: %s", strerror(failure));
}

void doorkeeper_stop(struct doorkeeper *doorkeeper)
{
    if (doorkeeper->running) {
        eventfd_write(doorkeeper->end.fd, 1);
        pthread_join(doorkeeper->thread, NULL);
        doorkeeper->running = false;
    }
}

void doorkeeper_close(struct doorkeeper *doorkeeper)
{
    if (doorkeeper) {
        doorkeeper_stop(doorkeeper);
        close(doorkeeper->end.fd);
        free(doorkeeper);
    }
}
