/* Unix sockets, by their addresses and paths. */
#pragma once

#include <stdbool.h>
#include <sys/un.h>
/* How addresses begin: "unix:///run/crigate/crigate.sock". */
#define SOCKET_SCHEME "unix://"

/* The path in an address, borrowed. Without the scheme, the text itself is returned. */
const char *unix_socket_path(const char *address);

/* false with errno ENAMETOOLONG if the path is too long for a socket. */
bool unix_socket_address(const char *path, struct sockaddr_un *address);

/* Connects a stream socket, which is closed on exec; `flags` may be SOCK_NONBLOCK. -1 with errno: ENAMETOOLONG as above; EAGAIN
   if it does not block and the queue of connections is full. */
int unix_socket_connect(const char *path, int flags);
