/* What one connection may have of limits.calls, so that no caller alone can take all of it. */
#ifndef CRIGATE_CALLS_CONNECTION_SHARE_H
#define CRIGATE_CALLS_CONNECTION_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct call;

/* How many calls one connection may have in flight when so many may be in all. */
unsigned connection_share_of(unsigned calls);

/* Counts a call that has come as one of its connection. false: the connection has its share already. */
bool connection_share_take(struct call *call);

/* How many calls a connection has in flight, by its descriptor, and when the last one before ended: worker_now(); 0: there was
   none. */
unsigned connection_share_count(int fd);
int64_t connection_share_last(int fd);

/* The call is gone. Also when it was not within its share. */
void connection_share_return(const struct call *call);

#endif
