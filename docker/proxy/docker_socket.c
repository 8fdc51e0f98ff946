#include "docker/proxy/docker_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/system/unix_socket.h"

enum docker_socket_result docker_socket_connect(const char *path, int *fd, struct error *error)
{
    int made = unix_socket_connect(path, SOCK_NONBLOCK);
    if (made >= 0) {
        *fd = made;
        return DOCKER_SOCKET_CONNECTED;
    }
    if (errno == EAGAIN || errno == EINTR) {
        return DOCKER_SOCKET_FULL;
    }
    error_set(error, STATUS_UNAVAILABLE, "crigate docker-proxy cannot connect to Docker at unix://%s: %s", path, strerror(errno));
    return DOCKER_SOCKET_AWAY;
}
