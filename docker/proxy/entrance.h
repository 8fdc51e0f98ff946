/* The socket for callers. */
#pragma once

#include "docker/proxy/relay.h"

struct entrance;

/* Makes the socket, with the owner and group of Docker's and mode 0660: who may use it is root on the node, as with Docker's. A
   stale one is replaced; FAILED_PRECONDITION: a live one is there. Accepts callers from now on, `most` of them at a time; what
   comes beyond waits. */
struct entrance *entrance_open(struct proxy *proxy, size_t most, struct error *error);

/* A connection has ended: another may come. */
void entrance_has_room(struct entrance *entrance);

/* Accepts no more callers, and removes the socket. */
void entrance_stop(struct entrance *entrance);

/* The same, and frees it. NULL is allowed. */
void entrance_close(struct entrance *entrance);
