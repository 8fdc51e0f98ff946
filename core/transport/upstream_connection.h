/* One connection to the socket of a runtime or plugin: connected by crigate, used by C core, watched by both.

   C core's channel over a connected descriptor costs less than one that resolves, balances and reconnects, but it does not report
   that the connection has ended or that the peer asks for another one (GOAWAY). The end shows at the socket, of which crigate
   keeps a descriptor of its own; C core shuts a socket down before it lets calls fail. What the peer sends is in the marks of
   fair_reading.h. Everything but these marks is on the worker's thread. */
#pragma once

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "core/loop/hang_up.h"
#include "core/transport/fair_reading.h"

#define UPSTREAM_WHY_SIZE 128

/* Freed by itself when the socket has hung up, its channel is destroyed and its last call is released. */
struct upstream_connection {
    struct reading reading; /* the first member, see fair_reading.h */
    struct hang_up hang_up;
    int fd;             /* the same socket as C core's descriptor, so that its number cannot become another's in between */
    bool ended;         /* the socket has hung up */
    bool retired;       /* it takes no new calls; its last one closes it */
    unsigned calls;     /* that were begun on it and are not released */
    int buffer;         /* bytes of the kernel's memory that wait in the socket at most */
    grpc_channel *grpc; /* NULL: destroyed */
    /* Once, when the socket has hung up, from either side; even after upstream_connection_close. */
    void (*hung_up)(struct upstream_connection *connection);
    void *owner;
    LIST_ENTRY(upstream_connection) others; /* of the same channel */
};

/* Connects to the socket at that path, without waiting. Returns the descriptor, which does not block; or -1, with the reason in
   errno: EAGAIN if too many connections are waiting to be accepted. */
int upstream_connect(const char *path);

/* For a connected descriptor, which C core gets next; it is not taken over. NULL: out of memory, or no descriptor is left. */
struct upstream_connection *upstream_connection_new(int fd, struct worker *worker,
                                                    void (*hung_up)(struct upstream_connection *connection), void *owner);

/* Whether the peer has sent SETTINGS, with which it is ready for calls. Always, if C core does not poll by epoll
   (GRPC_POLL_STRATEGY): then it reads only while there are calls. */
bool upstream_connection_is_settled(const struct upstream_connection *connection);

/* Whether the peer has asked for another connection (GOAWAY). */
bool upstream_connection_is_leaving(const struct upstream_connection *connection);

/* Whether new calls are of use on it, as far as can be known at this moment. */
bool upstream_connection_is_up(const struct upstream_connection *connection);

/* Whether a request of this many bytes, with its metadata, leaves at once, whether or not the peer reads: because it is small,
   and far from filling what the socket has left. */
bool upstream_connection_takes(const struct upstream_connection *connection, size_t size);

/* Why crigate itself has ended it. false: it has not. */
bool upstream_connection_why(const struct upstream_connection *connection, char *why, size_t size);

/* Shuts the connection down: C core and the peer notice that it has ended. */
void upstream_connection_hang_up(struct upstream_connection *connection);

/* No new calls: it is closed with its last call, or now if there is none. */
void upstream_connection_retire(struct upstream_connection *connection);

/* Closes it now. Calls on it fail. */
void upstream_connection_close(struct upstream_connection *connection);

/* A call begins on it, and is released. The last one may close it. */
void upstream_connection_begin_call(struct upstream_connection *connection);
void upstream_connection_end_call(struct upstream_connection *connection);
