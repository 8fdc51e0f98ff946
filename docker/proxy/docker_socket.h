/* Connections to Docker Engine's socket. */
#pragma once

#include "base/bytes/error.h"

enum docker_socket_result {
    DOCKER_SOCKET_CONNECTED,
    DOCKER_SOCKET_FULL, /* Docker accepts no connections just now, and as many wait as may; try again */
    DOCKER_SOCKET_AWAY, /* no program listens; the error says why */
};

/* Connects without waiting. The caller closes `fd`, which does not block. */
enum docker_socket_result docker_socket_connect(const char *path, int *fd, struct error *error);
