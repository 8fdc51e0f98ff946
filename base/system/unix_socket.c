#include "base/system/unix_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *unix_socket_path(const char *address)
{
    size_t scheme = strlen(SOCKET_SCHEME);
    return strncmp(address, SOCKET_SCHEME, scheme) == 0 ? address + scheme : address;
}

bool unix_socket_address(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address->sun_path, path, len);
    return true;
}

int unix_socket_connect(const char *path, int flags)
{
    struct sockaddr_un address;
    int descriptor = unix_socket_address(path, &address) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0) : -1;
    if (descriptor >= 0 && connect(descriptor, (const struct sockaddr *)(const void *)&address, sizeof address) != 0) {
        int failure = errno;
        close(descriptor);
        errno = failure;
        return -1;
    }
    return descriptor;
}
