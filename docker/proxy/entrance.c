#include "docker/proxy/entrance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log/log.h"
#include "core/service/listening_socket.h"
#include "core/service/passed.h"
#include "docker/proxy/life.h"

#define RETRY 100000 /* microseconds until there may be room, descriptors or memory again */

struct entrance {
    struct proxy *proxy;
    struct listening_socket socket;
    struct event accepts;
    struct event retry;
    size_t most;
    bool full; /* as many callers as may be */
    struct log_limit fulls;
};

/* ---- accepting ---- */

static void pause_accepting(struct entrance *entrance)
{
    struct timeval pause = {.tv_usec = RETRY};
    event_del(&entrance->accepts);
    event_add(&entrance->retry, &pause);
}

/* Called when another caller waits. false: all connections are in use. */
static bool make_room(struct entrance *entrance)
{
    unsigned skipped;
    entrance->full = true;
    if (log_limit_allows(&entrance->fulls, &skipped)) {
        log_line(LOG_SERIOUS, "%zu callers are connected, which is the limit; others wait", entrance->most);
    }
    return life_make_room(entrance->proxy);
}

static void on_connections(evutil_socket_t fd, short happened, void *state)
{
    struct entrance *entrance = state;
    (void)happened;
    if (entrance->proxy->connection_count >= entrance->most && !make_room(entrance)) {
        pause_accepting(entrance);
        return;
    }
    int connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection >= 0) {
        life_begin(entrance->proxy, connection);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        log_line(LOG_SERIOUS, "cannot accept a connection: %s", strerror(errno));
        pause_accepting(entrance);
    }
}

static void on_retry(evutil_socket_t fd, short happened, void *state)
{
    struct entrance *entrance = state;
    (void)fd;
    (void)happened;
    event_add(&entrance->accepts, NULL);
}

void entrance_has_room(struct entrance *entrance)
{
    if (entrance->full && entrance->socket.fd >= 0) {
        entrance->full = false;
        event_add(&entrance->accepts, NULL);
    }
}

/* ---- begin and end ---- */

/* Owner and group of Docker's socket; those of this process while that is not there. FAILED_PRECONDITION: it is the proxy's own
   by another path, so that the proxy would ask itself. */
static bool take_owner(const struct entrance *entrance, struct error *error)
{
    const struct docker_proxy_settings *settings = entrance->proxy->settings;
    struct stat status;
    if (stat(settings->docker, &status) != 0) {
        log_line(LOG_SERIOUS, "unix://%s does not exist yet (%s): the owner of unix://%s remains that of this process",
                 settings->docker, strerror(errno), settings->listen);
    } else if (status.st_dev == entrance->socket.device && status.st_ino == entrance->socket.inode) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "unix://%s and unix://%s are the same socket", settings->listen,
                         settings->docker);
    } else if (lchown(settings->listen, status.st_uid, status.st_gid) != 0) {
        log_line(LOG_SERIOUS, "cannot give unix://%s to the owner and group of unix://%s: %s", settings->listen, settings->docker,
                 strerror(errno));
    }
    return true;
}

static bool open_socket(struct entrance *entrance, struct error *error)
{
    const struct docker_proxy_settings *settings = entrance->proxy->settings;
    const struct map_socket place = {.path = settings->listen, .mode = 0600};
    int passed = passed_take();
    bool opened = listening_socket_open(&entrance->socket, &place, passed, error);
    passed_close_others(passed, &entrance->socket.fd, 1);
    if (!opened) {
        return false;
    }
    return take_owner(entrance, error) &&
           (chmod(settings->listen, 0660) == 0 ||
            error_set(error, STATUS_UNAVAILABLE, "cannot set the mode of %s: %s", settings->listen, strerror(errno)));
}

struct entrance *entrance_open(struct proxy *proxy, size_t most, struct error *error)
{
    struct entrance *entrance = calloc(1, sizeof *entrance);
    if (!entrance) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    entrance->proxy = proxy;
    entrance->most = most;
    entrance->socket.fd = entrance->socket.lock = -1;
    if (!open_socket(entrance, error)) {
        listening_socket_close(&entrance->socket);
        free(entrance);
        return NULL;
    }
    event_assign(&entrance->accepts, proxy->base, entrance->socket.fd, EV_READ | EV_PERSIST, on_connections, entrance);
    evtimer_assign(&entrance->retry, proxy->base, on_retry, entrance);
    event_add(&entrance->accepts, NULL);
    return entrance;
}

void entrance_stop(struct entrance *entrance)
{
    event_del(&entrance->accepts);
    event_del(&entrance->retry);
    listening_socket_stop(&entrance->socket);
}

void entrance_close(struct entrance *entrance)
{
    if (entrance) {
        entrance_stop(entrance);
        listening_socket_close(&entrance->socket);
        free(entrance);
    }
}
