#include "core/service/notify.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "base/system/environment.h"

#define SEND_SECONDS 5

bool notify_address(const char *text, struct sockaddr_un *address, socklen_t *size)
{
    size_t len = strlen(text);
    if ((*text != '/' && *text != '@') || len < 2 || len >= sizeof address->sun_path) {
        return false;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, text, len);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    if (*text == '@') {
        address->sun_path[0] = '\0'; /* the name of an abstract socket ends with its size */
    } else {
        *size += 1;
    }
    return true;
}

/* 0, or what errno was; EAGAIN: the queue is full. */
static int send_to(const struct sockaddr_un *address, socklen_t size, const char *message, int flags)
{
    DESCRIPTOR_CLEANUP int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const struct timeval most = {.tv_sec = SEND_SECONDS};
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) != 0) {
        return errno;
    }
    ssize_t sent;
    do {
        sent = sendto(fd, message, strlen(message), flags | MSG_NOSIGNAL, (const struct sockaddr *)(const void *)address, size);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

static void log_once(atomic_flag *logged, const char *what, const char *why)
{
    if (!atomic_flag_test_and_set(logged)) {
        log_line(LOG_SERIOUS, "%s: %s", what, why);
    }
}

/* The same to the socket that the environment names, if it names one. */
static int send_message(const char *message, int flags)
{
    static atomic_flag refused = ATOMIC_FLAG_INIT;
    struct sockaddr_un address;
    socklen_t size;
    const char *text = getenv("NOTIFY_SOCKET");
    if (!text) {
        return 0;
    }
    if (!notify_address(text, &address, &size)) {
        log_once(&refused, "the service manager gets no notifications",
                 "NOTIFY_SOCKET is neither an absolute path nor @NAME, or too long");
        return 0;
    }
    return send_to(&address, size, message, flags);
}

static void log_failure(int failure)
{
    static atomic_flag failed = ATOMIC_FLAG_INIT;
    if (failure != 0) {
        log_once(&failed, "cannot notify the service manager at NOTIFY_SOCKET", strerror(failure));
    }
}

void notify_send(const char *message)
{
    log_failure(send_message(message, 0));
}

bool notify_try(const char *message)
{
    int failure = send_message(message, MSG_DONTWAIT);
    if (failure == EAGAIN) {
        return false;
    }
    log_failure(failure);
    return true;
}

uint64_t notify_watchdog(void)
{
    static atomic_flag refused = ATOMIC_FLAG_INIT;
    uint64_t interval = 0;
    uint64_t pid = (uint64_t)getpid();
    /* systemd writes UINT64_MAX for an interval without end. */
    if (environment_number("WATCHDOG_USEC", 1, UINT64_MAX - 1, &interval) == ENVIRONMENT_INVALID ||
        environment_number("WATCHDOG_PID", 1, INT_MAX, &pid) == ENVIRONMENT_INVALID) {
        log_once(&refused, "no watchdog is notified", "WATCHDOG_USEC or WATCHDOG_PID is not a valid number");
        return 0;
    }
    return pid == (uint64_t)getpid() ? interval : 0;
}
