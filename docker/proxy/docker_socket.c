#include "docker/proxy/docker_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum docker_socket_result docker_socket_connect(const char *path, int *fd, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made >= 0 && connect(made, (const struct sockaddr *)(const void *)&address, sizeof address) == 0) {
        *fd = made;
        return DOCKER_SOCKET_CONNECTED;
    }
    int code = errno;
    if (made >= 0) {
        close(made);
    }
    if (made >= 0 && (code == EAGAIN || code == EINTR)) {
        return DOCKER_SOCKET_FULL;
    }
    error_set(error, STATUS_UNAVAILABLE, "crigate docker-proxy cannot connect to Docker at unix://%s: %s", path, strerror(code));
    return DOCKER_SOCKET_AWAY;
}
