#include "base/http/get.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/system/descriptor.h"

static int ask(int connection, const char *host, const char *target, int64_t until)
{
    char request[256];
    int len = snprintf(request, sizeof request, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", target, host);
    int reason = descriptor_wait(connection, POLLOUT, until);
    if (reason != 0) {
        return reason;
    }
    /* A fresh connection takes this little at once. */
    return len < (int)sizeof request && send(connection, request, (size_t)len, MSG_NOSIGNAL) == len ? 0 : EIO;
}

int http_get(int connection, const char *host, const char *target, int64_t until, char *answer, size_t room, size_t *len)
{
    *len = 0;
    int reason = ask(connection, host, target, until);
    while (reason == 0 && *len < room && (reason = descriptor_wait(connection, POLLIN, until)) == 0) {
        ssize_t part = recv(connection, answer + *len, room - *len, 0);
        if (part == 0) {
            break;
        }
        reason = part < 0 && errno != EINTR && errno != EAGAIN ? errno : 0;
        *len += part > 0 ? (size_t)part : 0;
    }
    return reason;
}
