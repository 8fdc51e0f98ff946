/* Hanging up on a runtime whose connection C core holds. */
#pragma once

#include <stdbool.h>

/* Whether both paths lead to one socket, perhaps by a link. */
bool socket_is_same(const char *path, const char *other);

/* Shuts down all connections of this process to the socket at "unix:///path", whoever made them: what is to be sent to it fails,
   and what has arrived can still be read. Costs a look at each descriptor of the process. Any thread. */
void socket_shutdown(const char *endpoint);
