/* One connection to the socket of a runtime or plugin: connected by crigate, used by C core, watched by both.

   C core's channel over a connected descriptor costs less than one that resolves, balances and reconnects, but it does not report
   that the connection has ended or that the peer asks for another one (GOAWAY). fair_reading.c sees both, on whichever thread C
   core reads or closes the descriptor, and marks them here. The marks are there before C core lets a call fail for that reason.
 */
#pragma once

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "core/loop/worker.h"

enum upstream_mark {
    UPSTREAM_WATCHED = 1, /* fair_reading.c sees what happens on it */
    UPSTREAM_SETTLED = 2, /* the peer has sent its SETTINGS: it speaks HTTP/2, and reads */
    UPSTREAM_LEAVING = 4, /* the peer has sent GOAWAY: new calls need another connection, those under way go on */
    UPSTREAM_ENDED = 8,   /* by the peer, by C core or by crigate */
};

#define UPSTREAM_WHY_SIZE 128

/* Counted by reference: whoever may still mark it has one. Only the marks and `full` change on other threads than the worker's.
 */
struct upstream_connection {
    atomic_uint references;
    atomic_uint marks;
    atomic_bool full; /* the socket has not taken all of the last write */
    int fd;           /* the same socket as C core's descriptor, so that its number cannot become another's in between */

    /* On the worker's thread. */
    grpc_channel *grpc;                                      /* NULL: destroyed */
    unsigned calls;                                          /* that were begun on it and are not released */
    bool retired;                                            /* it takes no new calls; its last one closes it */
    size_t room;                                             /* see upstream_connection_takes */
    void (*noticed)(struct upstream_connection *connection); /* it has new marks; NULL: nobody wants to know any more */
    void *owner;
    LIST_ENTRY(upstream_connection) others; /* of the same channel */

    struct errand errand;        /* tells the worker of marks */
    pthread_mutex_t worker_lock; /* C core is called while it is held, so that nobody whom C core calls may take it */
    struct worker *worker;       /* NULL: nobody wants to know any more */
    struct completion marked;

    pthread_mutex_t lock;        /* of what follows */
    char why[UPSTREAM_WHY_SIZE]; /* what the peer did, if crigate ended it; else empty */
};

/* Connects to the socket at that path, without waiting. Returns the descriptor, which does not block; or -1, with the reason in
   errno: EAGAIN if too many wait there to be accepted. */
int upstream_connect(const char *path);

/* For a connected descriptor, which it does not take over. After each new mark, `noticed` runs on the worker's thread soon. NULL:
   no memory, or no descriptor is left. */
struct upstream_connection *upstream_connection_new(int fd, struct worker *worker,
                                                    void (*noticed)(struct upstream_connection *connection), void *owner);

struct upstream_connection *upstream_connection_ref(struct upstream_connection *connection);

/* Any thread. */
void upstream_connection_unref(struct upstream_connection *connection);

/* Any thread, also one of C core's with its locks. */
void upstream_connection_mark(struct upstream_connection *connection, enum upstream_mark mark);

/* Marks it as ended. `why` is kept unless it had ended before. Likewise. */
void upstream_connection_end(struct upstream_connection *connection, const char *why);

/* Whether it is there for new calls, asked of the kernel as well. */
bool upstream_connection_is_up(const struct upstream_connection *connection);

/* Whether a request of that many bytes, with its metadata, leaves at once, whether or not the peer reads: because it is small,
   and far from filling what the socket has left. For one request, which follows. */
bool upstream_connection_takes(struct upstream_connection *connection, size_t size);

/* What the peer did, if crigate ended the connection for it. Returns whether there is something. */
bool upstream_connection_why(struct upstream_connection *connection, char *why, size_t size);

/* Hangs up: what has arrived can still be read, nothing else leaves. C core ends the connection then. */
void upstream_connection_hang_up(struct upstream_connection *connection);

/* Ends the connection for good, whether or not the peer reads, and drops the owner's reference. Calls under way fail. */
void upstream_connection_close(struct upstream_connection *connection);

/* It takes no new calls: closes it when the last call of it is released, which may be now. */
void upstream_connection_retire(struct upstream_connection *connection);

/* A call on it begins; and is released. */
void upstream_connection_begin_call(struct upstream_connection *connection);
void upstream_connection_end_call(struct upstream_connection *connection);
