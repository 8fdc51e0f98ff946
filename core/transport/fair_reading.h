/* How much the transport may read of one connection before others have their turn, and what it never gets to read.

   C core reads a connection until nothing is left in it, and treats all that has come at once; a peer that sends faster than that
   keeps everybody else waiting. There is no argument that bounds it, so it is bounded where C core meets the kernel: this program
   has a recvmsg, an epoll_wait and an epoll_ctl of its own, which pass everything on to the system's, for C core as well, and
   change two things for the connections that C core polls:

   - a connection that was read enough of seems empty until all others that have something were looked at, and is then reported
     again. Nothing is lost or refused, and a caller that is alone does not notice.
   - a connection on which a block of headers grows beyond all measure is at its end; see header_limit.h.

   What C core reads, writes, shuts down and closes on a connection that crigate has made is marked in its upstream_connection:
   the peer's SETTINGS and GOAWAY, and the end.

   Its sendmsg and close note which callers do not read, so that they can be closed when what waits for them takes too much
   memory: C core keeps what a full socket does not take, even after the call has ended.

   A descriptor is known from the moment that C core begins to poll it until it is closed. It is a
   caller's when its own end of the socket has a path, and leads to a runtime when the other end has one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/transport/peer.h"
#include "core/transport/upstream_connection.h"

/* Descriptors above are not known: see descriptors_raise. */
#define FAIR_READING_DESCRIPTORS 65536

/* From now on; before, and in programs that never call it, all calls just pass. Before there are other threads. `callers` and
   `runtimes`: bytes that a block of headers of theirs may have on the wire. */
void fair_reading_begin(size_t callers, size_t runtimes);

/* The descriptor that C core begins to poll next on this thread belongs to that connection, which gets its marks from then on;
   UPSTREAM_WATCHED if it is known. -1 and NULL: no more. */
void fair_reading_expect(int fd, struct upstream_connection *connection);

/* Since when that descriptor is a caller's connection, clock_ns(); 0: it is none. And the highest one that ever was known. Any
   thread. */
int64_t fair_reading_caller_since(int fd);
int fair_reading_highest(void);

/* Who is at the other end of a caller's connection, by its descriptor. false: it is none, or the kernel does not know. Any
   thread. */
bool fair_reading_caller_peer(int fd, struct peer *peer);

/* Whether at least so many callers are connected that have not hung up. Any thread. */
bool fair_reading_has_callers(size_t count);

/* Asks a caller, by its descriptor, to make its next calls on another connection (GOAWAY). Any thread.

   C core sends GOAWAY only when a server shuts down. From that moment on it cancels the calls that come in, also those that were
   sent before the caller could know. So the first GOAWAY, which means "start no new calls here, those that you have started go
   on", is written to the connection here, beside C core, while its server still takes calls. That is sound at one moment only:
   when no reply is being written, because then C core writes nothing but small control frames, each of them whole and at once. */
void fair_reading_send_goaway(int fd);

/* Shuts a caller's connection down, by its descriptor, without a line in the log: what C core has to write fails, so that it can
   end the connection. Any thread. */
void fair_reading_shut_down(int fd);

/* The same for all callers. */
void fair_reading_send_goaway_to_all(void);
void fair_reading_shut_down_all(void);

/* Ends the connection of a caller, by its descriptor; the same for the log. Any thread. */
void fair_reading_end(int fd, const char *why);

/* Closes the connections of callers that have not taken what was written to them for so many milliseconds; `why` continues "it
 * has not read its answers" in the log. Returns how many there were. Any thread. */
size_t fair_reading_end_stuck(int64_t milliseconds, const char *why);
