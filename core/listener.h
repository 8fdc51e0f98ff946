/* The socket that callers connect to: one process owns it, and each connection is handed to the server. */
#ifndef CRIGATE_CORE_LISTENER_H
#define CRIGATE_CORE_LISTENER_H

#include <grpc/grpc.h>
#include <signal.h>

#include "core/runtime_map.h"
#include "translate/error.h"

struct listener;

/* Binds the socket with the mode and group that the map says, in place of a stale one. FAILED_PRECONDITION: another process owns
   it. The caller ends it with listener_close. */
struct listener *listener_open(const struct runtime_map *map, struct error *error);

/* Hands connections to the server on a thread of its own, until one of `signals` arrives: then `on_signal` is called on that
   thread, once, and accepting ends. The signals must be blocked in all threads. */
bool listener_start(struct listener *listener, grpc_server *server, const sigset_t *signals,
                    void (*on_signal)(void *state, int signal), void *state, struct error *error);

/* Waits for the thread, removes the socket if it is still ours, and frees everything. NULL is allowed. */
void listener_close(struct listener *listener);

#endif
