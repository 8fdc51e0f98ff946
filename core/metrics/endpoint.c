#include "core/metrics/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/descriptor.h"

#define BACKLOG 128

/* ---- addresses ---- */

static const char *path_of(const struct metrics_address *at)
{
    return at->address.ss_family == AF_UNIX ? ((const struct sockaddr_un *)(const void *)&at->address)->sun_path : NULL;
}

struct metrics_address_text metrics_address_text(const struct metrics_address *at)
{
    struct metrics_address_text text = {""};
    char host[INET6_ADDRSTRLEN] = "";
    const struct sockaddr_in *v4 = (const void *)&at->address;
    const struct sockaddr_in6 *v6 = (const void *)&at->address;
    switch (at->address.ss_family) {
    case AF_UNIX:
        snprintf(text.text, sizeof text.text, "unix://%.*s", (int)sizeof(struct sockaddr_un), path_of(at));
        break;
    case AF_INET:
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
        snprintf(text.text, sizeof text.text, "%s:%u", host, ntohs(v4->sin_port));
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        snprintf(text.text, sizeof text.text, "[%s]:%u", host, ntohs(v6->sin6_port));
        break;
    default:
        break;
    }
    return text;
}

bool metrics_address_equal(const struct metrics_address *a, const struct metrics_address *b)
{
    return strcmp(metrics_address_text(a).text, metrics_address_text(b).text) == 0;
}

/* ---- the file of a Unix socket ---- */

static bool fail(struct error *error, const struct metrics_address *at, const char *what)
{
    enum status_code code = errno == EADDRINUSE ? STATUS_FAILED_PRECONDITION : STATUS_UNAVAILABLE;
    /* What RestrictAddressFamilies= of systemd answers; or the kernel lacks IPv6. */
    const char *advice =
        errno == EAFNOSUPPORT ? "; crigate.service allows no network without metrics.conf, see crigate --check-config" : "";
    return error_set(error, code, "cannot %s %s: %s%s", what, metrics_address_text(at).text, strerror(errno), advice);
}

static bool remove_stale(const struct metrics_address *at, struct error *error)
{
    struct stat status;
    if (lstat(path_of(at), &status) != 0) {
        return errno == ENOENT || fail(error, at, "look at");
    }
    if (!S_ISSOCK(status.st_mode)) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s exists and is not a socket", path_of(at));
    }
    if (!descriptor_is_stale(path_of(at))) {
        return errno == EADDRINUSE ? error_set(error, STATUS_FAILED_PRECONDITION, "another program listens on %s", path_of(at))
                                   : fail(error, at, "find out whether a program listens on");
    }
    return unlink(path_of(at)) == 0 || errno == ENOENT || fail(error, at, "replace");
}

bool metrics_endpoint_set_mode(const struct metrics_endpoint *endpoint, const struct metrics_address *at, struct error *error)
{
    if (!path_of(&endpoint->at)) {
        return true;
    }
    if (at->group != (gid_t)-1 && lchown(path_of(at), (uid_t)-1, at->group) != 0) {
        return fail(error, at, "set the group of");
    }
    return chmod(path_of(at), at->mode) == 0 || fail(error, at, "set the mode of");
}

static void note_file(struct metrics_endpoint *endpoint)
{
    struct stat status;
    if (path_of(&endpoint->at) && lstat(path_of(&endpoint->at), &status) == 0) {
        endpoint->device = status.st_dev;
        endpoint->inode = status.st_ino;
    }
}

/* ---- open and close ---- */

static bool listen_there(struct metrics_endpoint *endpoint, struct error *error)
{
    const struct metrics_address *at = &endpoint->at;
    int on = 1;
    if (path_of(at) && !remove_stale(at, error)) {
        return false;
    }
    endpoint->fd = socket(at->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (endpoint->fd < 0) {
        return fail(error, at, "create a socket for");
    }
    setsockopt(endpoint->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at->address.ss_family == AF_INET6) {
        setsockopt(endpoint->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    if (bind(endpoint->fd, (const struct sockaddr *)&at->address, at->length) != 0) {
        return fail(error, at, "bind");
    }
    note_file(endpoint);
    return metrics_endpoint_set_mode(endpoint, at, error) && (listen(endpoint->fd, BACKLOG) == 0 || fail(error, at, "listen on"));
}

bool metrics_endpoint_open(struct metrics_endpoint *endpoint, const struct metrics_address *at, struct error *error)
{
    *endpoint = (struct metrics_endpoint){.at = *at, .fd = -1};
    if (listen_there(endpoint, error)) {
        return true;
    }
    metrics_endpoint_close(endpoint, false);
    return false;
}

bool metrics_endpoint_adopt(struct metrics_endpoint *endpoint, const struct metrics_address *at, int fd)
{
    struct metrics_address own = {.length = sizeof own.address};
    int listens = 0;
    socklen_t size = sizeof listens;
    int flags = fcntl(fd, F_GETFL);
    bool good = flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
                getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0 &&
                getsockname(fd, (struct sockaddr *)&own.address, &own.length) == 0 && metrics_address_equal(&own, at);
    if (!good) {
        close(fd);
        return false;
    }
    *endpoint = (struct metrics_endpoint){.at = *at, .fd = fd};
    note_file(endpoint);
    return true;
}

void metrics_endpoint_close(struct metrics_endpoint *endpoint, bool shared)
{
    struct stat status;
    const char *path = path_of(&endpoint->at);
    if (endpoint->fd >= 0 && path && !shared && lstat(path, &status) == 0 && status.st_dev == endpoint->device &&
        status.st_ino == endpoint->inode) {
        unlink(path);
    }
    descriptor_close(&endpoint->fd);
}
