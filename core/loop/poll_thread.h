/* The poll thread waits for all descriptors of the process at once. Sockets, signals and watched files are watches, which run on
   this thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/bytes/error.h"

/* Embedded in whatever waits. All fields but the last may be changed while it is watched, on the poll thread. */
struct watch {
    int fd;       /* -1: waits only for `due` */
    short events; /* as poll takes them */
    int64_t due;  /* CLOCK_MONOTONIC, nanoseconds; 0: never */
    /* `happened` is the result of poll; 0: it is due, and `due` was reset to 0. May remove any watch. */
    void (*run)(struct watch *watch, short happened);
    TAILQ_ENTRY(watch) link; /* the poll thread's */
};

/* The struct that embeds a watch as `member`. */
#define watch_owner(watch, type, member) ((type *)(void *)((char *)(watch)-offsetof(type, member)))

struct poll_thread;

/* NULL: out of memory or no descriptors. The caller ends it with poll_thread_close. */
struct poll_thread *poll_thread_new(struct error *error);

/* Starts the thread. Add the first watches before. */
bool poll_thread_start(struct poll_thread *poll_thread, struct error *error);

/* Add and remove: on the poll thread, or while it is not running. There may be any number of watches; adding one cannot fail.
   Removing an unknown watch does nothing. The watch stays the caller's and must live until it is removed. */
void poll_thread_add(struct poll_thread *poll_thread, struct watch *watch);
void poll_thread_remove(struct poll_thread *poll_thread, struct watch *watch);

/* Runs a watch, with `happened` 0, after this many milliseconds. */
void watch_arm(struct watch *watch, int64_t milliseconds);

/* Ends the thread and waits for it. Watches no longer run; they can still be removed. May be called again. */
void poll_thread_stop(struct poll_thread *poll_thread);

/* Stops and frees it. NULL is allowed. */
void poll_thread_close(struct poll_thread *poll_thread);
