/* One question to an HTTP server, over a connection of its own. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Asks `host` for `target` ("/healthz") over a connection that does not block, and reads the answer, head and body, until the
   server ends the connection or `room` bytes are read. 0, or an errno: ETIMEDOUT when clock_ms() comes to `until`, EIO if the
   question is too long or cannot be sent. */
int http_get(int connection, const char *host, const char *target, int64_t until, char *answer, size_t room, size_t *len);
