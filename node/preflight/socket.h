/* A Unix socket of the node, before gRPC speaks on it. */
#pragma once

#include <sys/types.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

/* The path in "unix:///run/x.sock", "unix:/run/x.sock" or "/run/x.sock", borrowed; NULL for anything else. */
const char *socket_path(const char *endpoint);

/* "unix://" and a path, in the arena; NULL: out of memory. */
const char *socket_endpoint(const char *path, struct arena *arena);

/* Whether two paths lead to the same file. One that is not there, or may not be looked at, is like itself alone; NULL, no path,
   is like none. */
bool socket_is_same(const char *one, const char *other);

/* Whether a program accepts connections at that path, tried for at most `timeout` milliseconds. false: NOT_FOUND (there is no
   such file), PERMISSION_DENIED, UNAVAILABLE (nothing listens), or DEADLINE_EXCEEDED (its queue stays full). */
bool socket_listens(const char *path, unsigned timeout, struct error *error);

/* Asks an HTTP server on the socket for `target` ("/info"). The answer is head and body, of at most 64 KiB, in the arena; empty
   if there was none within `timeout` milliseconds. */
struct bytes socket_http_get(const char *path, const char *target, unsigned timeout, struct arena *arena);

/* The process that listens at that path; 0 if that cannot be determined, as for one in another PID namespace. */
pid_t socket_listener(const char *path, unsigned timeout);

/* Whether a process has a socket open that listens at a path with this end, such as "/nri/nri.sock". false also if that cannot be
   determined: only root sees the sockets of others. Connects to nothing. */
bool socket_is_held(pid_t process, const char *path_end);
