#include "core/loop/acceptor.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* How long to wait for free descriptors or memory. */
#define RETRY_MS 100

/* Nothing was there any more. Anything else would be reported again at once, forever. */
static bool is_passing(int failure)
{
    return failure == EAGAIN || failure == EINTR || failure == ECONNABORTED;
}

static void on_connection(struct watch *watch, short happened)
{
    struct acceptor *acceptor = watch_owner(watch, struct acceptor, watch);
    unsigned others;
    watch->events = POLLIN;
    if (happened == 0) {
        return; /* tries again */
    }
    int connection = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    int failure = errno;
    if (connection >= 0) {
        acceptor->accepted(acceptor, connection);
    } else if (!is_passing(failure)) {
        watch->events = 0;
        watch_arm(watch, RETRY_MS);
        if (log_limit_allows(&acceptor->failures, &others)) {
            log_line(LOG_SERIOUS, "cannot accept a connection: %s", strerror(failure));
        }
    }
}

void acceptor_begin(struct acceptor *acceptor, int socket, struct poll_thread *poll_thread,
                    void (*accepted)(struct acceptor *acceptor, int connection))
{
    acceptor->accepted = accepted;
    acceptor->watch = (struct watch){.fd = socket, .events = POLLIN, .run = on_connection};
    poll_thread_add(poll_thread, &acceptor->watch);
}
