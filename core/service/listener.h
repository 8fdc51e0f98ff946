/* The listener for callers: it accepts each connection to the socket and, if its user may call, hands it to the server. */
#pragma once

#include "base/bytes/error.h"
#include "core/loop/poll_thread.h"
#include "core/map/map.h"
#include "core/service/listening_socket.h"
#include "core/transport/callers.h"

struct listener;

/* Opens the socket; see listening_socket_open. The entry is not used afterwards. The caller ends it with listener_close. */
struct listener *listener_open(const struct map_socket *entry, int passed, struct error *error);

/* The same with descriptors that another process handed over; see listening_socket_adopt. */
struct listener *listener_adopt(const struct map_socket *entry, int fd, int lock, bool activated, struct error *error);

/* Admits connections from now on, on the poll thread. false: out of memory. */
bool listener_serve(struct listener *listener, struct poll_thread *poll_thread, struct callers *callers, struct error *error);

/* Accepts no more connections; callers that connect wait. Call this before the callers end. */
void listener_pause(struct listener *listener);

/* Applies another entry of the same address: its rules for callers, and the socket's mode and group. On the poll thread. */
bool listener_apply_map(struct listener *listener, const struct map_socket *entry, struct error *error);

/* The socket, for handing it over. */
struct listening_socket *listener_socket(struct listener *listener);

/* Frees everything; removes the socket if it is still ours. Not while the poll thread runs. NULL is allowed. */
void listener_close(struct listener *listener);
