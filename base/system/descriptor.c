#include "descriptor.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/unix_socket.h"

void descriptor_close(int *descriptor)
{
    if (*descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
    }
}

int descriptor_wait(int descriptor, short events, int64_t until)
{
    for (;;) {
        struct pollfd wait = {.fd = descriptor, .events = events};
        int64_t left = until - clock_ms();
        int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready >= 0 || errno != EINTR) {
            return ready > 0 ? 0 : ready == 0 ? ETIMEDOUT : errno;
        }
    }
}

bool descriptor_locks(int descriptor, const char *path)
{
    struct stat there, given;
    return fstat(descriptor, &given) == 0 && lstat(path, &there) == 0 && given.st_dev == there.st_dev &&
           given.st_ino == there.st_ino && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

static bool has_option(int descriptor, int option, int expected)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
}

bool descriptor_listens(int descriptor, const char *path)
{
    struct sockaddr_un address = {0};
    /* The kernel reports the size of a name that is larger, and ends a path with NUL only if that fits. */
    socklen_t size = sizeof address;
    size_t len = strlen(path);
    return has_option(descriptor, SO_TYPE, SOCK_STREAM) && has_option(descriptor, SO_ACCEPTCONN, 1) &&
           getsockname(descriptor, (struct sockaddr *)(void *)&address, &size) == 0 && address.sun_family == AF_UNIX && len > 0 &&
           len < sizeof address.sun_path && memcmp(address.sun_path, path, len + 1) == 0;
}

/* Linux gives the file the mode of the socket, less the umask. */
bool descriptor_bind(int descriptor, const char *path)
{
    struct sockaddr_un address;
    return unix_socket_address(path, &address) && fchmod(descriptor, 0600) == 0 &&
           bind(descriptor, (const struct sockaddr *)(const void *)&address, sizeof address) == 0;
}

bool descriptor_is_stale(const char *path)
{
    int probe = unix_socket_connect(path, SOCK_NONBLOCK);
    int failure = probe >= 0 ? EADDRINUSE : errno;
    descriptor_close(&probe);
    /* EAGAIN: its queue is full. EPROTOTYPE: it is of another type. */
    errno = failure == EAGAIN || failure == EPROTOTYPE ? EADDRINUSE : failure;
    return failure == ECONNREFUSED || failure == ENOENT;
}
