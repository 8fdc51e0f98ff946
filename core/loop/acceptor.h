/* A listening socket on the poll thread. While connections cannot be accepted due to a lack of descriptors or memory, it pauses
   and tries again: those who connect wait, and the thread does not spin. */
#pragma once

#include "base/log/log.h"
#include "core/loop/poll_thread.h"

/* Embedded in whatever listens; zero-initialised. */
struct acceptor {
    struct watch watch;
    struct log_limit failures;
    /* A connection that does not block, which is the callee's now. */
    void (*accepted)(struct acceptor *acceptor, int connection);
};

/* Accepts connections on that socket, which stays the caller's, until the watch is removed. As poll_thread_add. */
void acceptor_begin(struct acceptor *acceptor, int socket, struct poll_thread *poll_thread,
                    void (*accepted)(struct acceptor *acceptor, int connection));
