/* The poll thread: the thread that waits for all descriptors of the process at once. Sockets, signals and files to watch are
   watches; what they do, they do on this thread. */
#ifndef CRIGATE_SOCKETS_POLL_THREAD_H
#define CRIGATE_SOCKETS_POLL_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "translate/error.h"

/* More watches than this at a time are a mistake in the program: whoever takes connections has to bound their number. */
#define POLL_THREAD_WATCHES 32

/* Embedded in whatever waits. All fields may be changed while it is watched, on the poll thread's thread. */
struct watch {
    int fd;       /* -1: waits for time only */
    short events; /* as poll takes them */
    int64_t due;  /* CLOCK_MONOTONIC, nanoseconds; 0: never */
    /* `happened` is what poll found; 0: it is due, and `due` has been set back to 0. May remove any watch. */
    void (*run)(struct watch *watch, short happened);
};

/* The struct that embeds a watch as `member`. */
#define watch_owner(watch, type, member) ((type *)(void *)((char *)(watch)-offsetof(type, member)))

struct poll_thread;

/* NULL: no memory or no descriptors. The caller ends it with poll_thread_close. */
struct poll_thread *poll_thread_new(struct error *error);

/* Starts the thread. What is there to watch first has been added before. */
bool poll_thread_start(struct poll_thread *poll_thread, struct error *error);

/* Add and remove: on the poll thread's thread, or while there is none. Removing what is not watched does nothing. The watch stays
   the caller's and must live until it is removed. */
void poll_thread_add(struct poll_thread *poll_thread, struct watch *watch);
void poll_thread_remove(struct poll_thread *poll_thread, struct watch *watch);

/* Has a watch run, with `happened` 0, after so many milliseconds. */
void watch_arm(struct watch *watch, int64_t milliseconds);

/* Ends the thread and waits for it. Watches are no longer run; they can still be removed. Any number of times. */
void poll_thread_stop(struct poll_thread *poll_thread);

/* Stops and frees it. NULL is allowed. */
void poll_thread_close(struct poll_thread *poll_thread);

#endif
