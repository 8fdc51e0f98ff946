/* The connections of callers: who is at the other end, how much it calls, and how it is sent away. A connection is admitted on
   any thread; everything else is on the worker's.

   C core has a descriptor of each connection, and crigate one of its own: so a number that C core has closed cannot become
   another's before crigate has noticed. */
#pragma once

#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/un.h>

#include "base/log/log.h"
#include "core/loop/hang_up.h"
#include "core/transport/fair_reading.h"
#include "core/transport/peer.h"

/* A socket that callers connect to; it lives as long as the process. */
struct caller_socket {
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    atomic_size_t connections; /* like callers.count */
    unsigned in_flight;        /* calls */
    unsigned streams;          /* of them, those whose reply is a stream */
    uint64_t calls;            /* with those that have ended */
    struct caller_socket *next;
};

/* All times are of clock_ns(). */
struct caller {
    struct reading reading; /* the first member, see fair_reading.h */
    struct hang_up hang_up;
    struct callers *callers;
    struct caller_socket *socket; /* that it has connected to */
    int fd;
    struct peer peer;
    bool ended;         /* it has hung up; the struct stays until its last call is returned */
    int64_t since;      /* it is connected */
    unsigned in_flight; /* calls, */
    uint64_t calls;     /* and with those that have ended */
    int64_t last_came;  /* a call; 0: none has */
    int64_t last_ended; /* the last call in flight; 0: none has */
    int64_t asked_to_go;
    int64_t full_since; /* at each look, the socket took nothing; 0: it did at the last one */
    LIST_ENTRY(caller) others;
};

struct callers {
    struct worker *worker;
    grpc_server *server; /* NULL: those that come are closed */
    atomic_size_t count; /* of them, and of those that are on their way to the worker */
    LIST_HEAD(, caller) all;
    _Atomic(struct caller_socket *) sockets; /* grows at its head only */
    struct log_limit failures;               /* for lack of descriptors or memory */
    struct log_limit closed;                 /* by crigate */
    int64_t looked;                          /* for those that do not read, the last time */
    bool any_is_full;                        /* one took nothing at that look */
    void (*emptied)(void *state);            /* the last one has hung up */
    void *state;
};

/* Connections are given to that server. */
void callers_begin(struct callers *callers, struct worker *worker, grpc_server *server, void (*emptied)(void *state),
                   void *state);

/* No more are taken, and the server may be destroyed once `emptied` was called, or none is there. */
void callers_end(struct callers *callers);

/* The socket of that path, or NULL. On any thread. */
struct caller_socket *callers_find_socket(struct callers *callers, const char *path);

/* The same, which is made if there is none yet; NULL: out of memory. On the thread that admits. */
struct caller_socket *callers_socket(struct callers *callers, const char *path);

/* Takes over a descriptor that has connected to that socket, and gives it to the server soon. false: `most` callers are already
   connected there, and the descriptor is not taken. One thread, until the worker is closed. */
bool callers_admit(struct callers *callers, int fd, const struct peer *peer, struct caller_socket *socket, size_t most);

/* Frees the sockets, once nothing of the server is left. */
void callers_free(struct callers *callers);

/* ---- their calls ---- */

/* How many calls one connection may have in flight when `calls` may be in flight in all, so that no caller alone can use all of
   it. */
unsigned callers_share_of(unsigned calls);

/* Counts a call that arrived at `now`. Returns whose it is, to be returned with caller_return; NULL: that is not known. */
struct caller *caller_take(grpc_call *call, int64_t now);

/* Its call is gone. NULL is allowed. */
void caller_return(struct caller *caller);

/* ---- their end ---- */

/* Asks a caller to make its next calls on another connection (GOAWAY).

   C core sends GOAWAY only when a server shuts down. From that moment on it cancels the calls that come in, also those that were
   sent before the caller could know. So the first GOAWAY, which means "start no new calls here, those that you have started go
   on", is written to the connection here, beside C core, while its server still takes calls. That is sound at one moment only:
   when no reply is being written, because then C core writes nothing but small control frames, each of them whole and at once. */
void caller_send_goaway(struct caller *caller);

/* Shuts the connection down: what C core has to write fails, so that it can end the connection. */
void caller_shut_down(struct caller *caller);

/* The same, with a line in the log: "it has not read its answers", and `why`. */
void caller_shut_down_unread(struct caller *caller, const char *why);

/* The same for all that took nothing for this many milliseconds, at each of several looks in a row. A look asks the kernel for
   each caller. It comes a few times in that time at most, whenever this is called; without a call in that time, the row begins
   again. Returns whether a caller took nothing at the last look, so that another look is worthwhile. */
bool callers_shut_down_unread(struct callers *callers, int64_t milliseconds, const char *why);
