/* Tells a worker that a socket has hung up: its peer has closed it or shut it down, or this process has shut it down. One thread
   of the process waits for all of them. */
#pragma once

#include "core/loop/worker.h"

/* Embedded in whatever owns the socket; zero-initialised but for `completion`. */
struct hang_up {
    struct completion completion; /* runs once; `ok` means nothing */
    struct worker *worker;
    int fd;
};

/* Watches a connected socket. The completion runs on the worker's thread, once, after the socket has hung up; shutdown(2) makes
   it do so. Until then the descriptor stays open, the struct stays where it is, and the worker is not closed. false: there is no
   thread, or no memory, for it, and the completion does not run. Any thread. */
bool hang_up_watch(struct hang_up *hang_up, struct worker *worker, int fd);

/* For a worker that has closed, after all its completions have run: the thread does not touch the worker after this. */
void hang_up_leave(void);
