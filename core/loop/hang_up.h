/* Tells a worker that a socket has hung up: its peer has closed it or shut it down, or this process has shut it down. One thread
   of the process waits for all of them. */
#pragma once

#include "core/loop/worker.h"

/* Embedded in whatever owns the socket. Zero-initialised. */
struct hang_up {
    struct completion completion;
    void (*run)(struct hang_up *hang_up);
    struct worker *worker;
    int fd;
};

/* Watches a connected socket. `run` is called once, on the worker's thread, after the socket has hung up; shutdown(2) makes it do
   so. Until then the descriptor stays open, the struct stays where it is, and the worker's loop does not end. false: there is no
   thread, or out of memory, for it, and `run` is not called. On the worker's thread. */
bool hang_up_watch(struct hang_up *hang_up, struct worker *worker, int fd, void (*run)(struct hang_up *hang_up));
