/* The sockets of the runtime map besides the first: agents', and those that kubelets had before. They come and go with a reload,
   and are handed over one by one in a takeover. All on the poll thread, or before it runs. */
#pragma once

#include "core/daemon/daemon.h"

/* Opens those of the map that are not open yet; see listening_socket_open for `passed`. false: those that were open are still,
   and no other. */
bool more_sockets_open(struct daemon *daemon, const struct runtime_map *map, int passed, struct error *error);

/* Closes all but the first so many. */
void more_sockets_truncate(struct daemon *daemon, size_t count);

/* Accepts connections on those that do not yet. */
bool more_sockets_serve(struct daemon *daemon, struct error *error);

/* Closes those that are not of the map, and applies the entries of the others. */
bool more_sockets_apply_map(struct daemon *daemon, const struct runtime_map *map, struct error *error);

/* The one at that path; NULL: there is none. */
struct listener *more_sockets_find(struct daemon *daemon, const char *path);

/* ---- takeovers ---- */

/* Takes those of the map that the running process has. The others are opened when this one is the owner. */
void more_sockets_take(struct daemon *daemon);
void more_sockets_own(struct daemon *daemon);

/* Answers CONTROL_SOCKET: hands one over. */
void more_sockets_lend(struct daemon *daemon, struct control_connection *connection, const char *path);

/* The other process has not become the owner, or has. */
void more_sockets_take_back(struct daemon *daemon);
void more_sockets_leave(struct daemon *daemon);

/* This process has not become the owner: the running one keeps what it has lent. */
void more_sockets_give_up(struct daemon *daemon);

/* ---- the end ---- */

/* Refuses connections at once. `owner`: no other process has these sockets. */
void more_sockets_stop(struct daemon *daemon, bool owner);
