/* The share of limits.calls that one connection may use, so that no caller alone can use all of it; and how much it calls. All on
   the worker's thread. */
#pragma once

#include <grpc/grpc.h>
#include <stdbool.h>
#include <stdint.h>

/* How many calls one connection may have in flight when so many may be in all. */
unsigned connection_share_of(unsigned calls);

/* The connection over which a call came: its descriptor; -1: it is not known, or there is no memory to count it. */
int connection_share_connection(grpc_call *call);

/* Counts a call that came over a connection at `now`, clock_ns(), when so many may be in flight in all. false: the connection has
   its share already; the call counts all the same. */
bool connection_share_take(int connection, unsigned calls, int64_t now);

/* How many calls a connection has in flight, by its descriptor, and when the last one before ended: clock_ns(); 0: there was
   none. */
unsigned connection_share_count(int fd);
int64_t connection_share_last(int fd);

/* How many calls have come over the connection that has this descriptor now, in flight or ended, and when the last one came:
   clock_ns(); 0: none has. */
uint64_t connection_share_calls(int fd, int64_t *last);

/* When the caller at this descriptor was asked to go: clock_ns(); 0: it was not. The place is the module's. NULL: no memory. */
int64_t *connection_share_asked_to_go(int fd);

/* The call is gone. Also when it was not within its share. */
void connection_share_return(int connection);
