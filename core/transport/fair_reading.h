/* How much C core may read of one connection before others have their turn, and what it never gets to read.

   C core reads a connection until nothing is left in it, and treats all that has arrived at once. A peer that sends faster than
   that keeps everyone else waiting, and no argument of C core bounds it. So it is bounded where C core meets the kernel: this
   program has a recvmsg, an epoll_ctl and an epoll_wait of its own. They pass everything on to the system's, and change two
   things for the connections that were added here:

   - A connection of which enough was read seems empty until all others that have something were looked at, and is then reported
     again. Nothing is lost or refused, and a peer that is alone does not notice.
   - A connection on which a block of headers grows too long is shut down; see header_limit.h.

   None of them takes a lock, writes to the log, calls C core or traverses anything, because C core calls them while it holds its
   own locks. What they see is left in the marks of the connection, for the worker. A connection stays bounded for as long as C
   core reads it, even after it has hung up. Other code of this program receives with flags or control data, which passes. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "core/transport/header_limit.h"

/* Connections with a higher descriptor cannot be added: see descriptors_raise. */
#define MOST_DESCRIPTORS 65536

enum reading_mark {
    READING_SETTINGS = 1, /* the peer has sent SETTINGS: it speaks HTTP/2 */
    READING_GOAWAY = 2,   /* the peer has sent GOAWAY: new calls need another connection, those under way continue */
    READING_TOO_LONG = 4, /* a block of headers was too long, and the connection was shut down */
};

/* One connection. Begins the struct of its owner, which comes from calloc. Only `marks` may be read on any thread. */
struct reading {
    atomic_uint marks;
    atomic_uint references; /* one is the owner's, one the table's of descriptors */
    bool is_caller;
    size_t most_bytes;        /* that are read in one turn */
    uint64_t turn;            /* in which it was read last */
    size_t bytes;             /* read in that turn */
    uint64_t blocks;          /* of headers that had begun before that turn */
    int epoll;                /* the set that C core polls it in; -1: not yet, or C core does not use epoll */
    struct epoll_event event; /* as what it is in that set */
    struct header_limit headers;
};

/* Adds the connected descriptor that C core gets next; it must not be another's until C core has closed it. The owner gets one
   reference. false: the number of the descriptor is too high, or memory is short. Any thread. */
bool fair_reading_add(struct reading *reading, int fd, bool is_caller);

/* Gives up the owner's reference. The struct is freed with the last one. */
void fair_reading_release(struct reading *reading);

/* What was added last with that descriptor, which may have ended since. NULL: nothing. On the thread that adds. */
struct reading *fair_reading_find(int fd);
