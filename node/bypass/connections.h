/* Connections of another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/bytes/error.h"

/* Counts the connections that a process has to the Unix socket at `path`. Needs root, and Linux 5.6 (pidfd_getfd(2)):
   UNIMPLEMENTED or PERMISSION_DENIED. NOT_FOUND: there is no such process, or no such socket. */
bool connections_count(pid_t pid, const char *path, size_t *count, struct error *error);

/* The same, and shuts all of them down, so that the process reconnects: it sees them as closed by the other side, and calls in
   progress on them fail. */
bool connections_cut(pid_t pid, const char *path, size_t *count, struct error *error);
