/* A Unix socket of the node, before gRPC speaks on it. */
#pragma once

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"

/* The path in "unix:///run/x.sock", "unix:/run/x.sock" or "/run/x.sock", borrowed; NULL for anything else. */
const char *socket_path(const char *endpoint);

/* Whether somebody accepts connections at that path, tried for at most `timeout` milliseconds. false: NOT_FOUND (there is no such
   file), PERMISSION_DENIED, UNAVAILABLE (nothing listens), or DEADLINE_EXCEEDED (its queue stays full). */
bool socket_listens(const char *path, unsigned timeout, struct error *error);

/* Asks an HTTP server on the socket for `target` ("/info"). The answer is head and body, of at most 64 KiB, in the arena; empty
   if there was none within `timeout` milliseconds. */
struct bytes socket_http_get(const char *path, const char *target, unsigned timeout, struct arena *arena);
