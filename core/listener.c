#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <libgen.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/log.h"

struct listener {
    const struct runtime_map *map;
    int lock;
    int socket;
    int signals;
    dev_t device; /* of the socket's file, to tell whether it is still ours */
    ino_t inode;
    pthread_t thread;
    bool running;
    grpc_server *server;
    void (*on_signal)(void *state, int signal);
    void *state;
};

static bool system_error(struct error *error, const char *what, const char *path)
{
    return error_set(error, STATUS_UNAVAILABLE, "cannot %s %s: %s", what, path, strerror(errno));
}

/* ---- taking the socket ---- */

/* Owned as long as the process lives, so that no two of them replace each other's socket. The file itself stays. */
static bool take_lock(struct listener *listener, struct error *error)
{
    const char *path = listener->map->listen.path;
    char name[sizeof(struct sockaddr_un) + 8];
    snprintf(name, sizeof name, "%s.lock", path);
    listener->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (listener->lock < 0) {
        return system_error(error, "open the lock file", name);
    }
    if (flock(listener->lock, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    if (errno != EWOULDBLOCK) {
        return system_error(error, "lock", name);
    }
    return error_set(error, STATUS_FAILED_PRECONDITION, "another crigate owns %s (its lock %s is held); stop that one first", path,
                     name);
}

static struct sockaddr_un address_of(const struct runtime_map *map)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", map->listen.path);
    return address;
}

/* A socket file that nobody listens behind is left over from a crash; a live one belongs to somebody else. */
static bool remove_stale(const struct runtime_map *map, struct error *error)
{
    const char *path = map->listen.path;
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT || system_error(error, "look at", path);
    }
    if (!S_ISSOCK(status.st_mode)) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s exists and is no socket; move it away, or listen elsewhere", path);
    }
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return system_error(error, "make a socket for", path);
    }
    struct sockaddr_un address = address_of(map);
    bool live = connect(probe, (const struct sockaddr *)(const void *)&address, sizeof address) == 0;
    close(probe);
    if (live) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "another program listens on %s; stop it, or listen elsewhere", path);
    }
    return unlink(path) == 0 || system_error(error, "remove the stale socket", path);
}

static bool make_folder(const char *path, struct error *error)
{
    char copy[sizeof(struct sockaddr_un)];
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    return mkdir(folder, 0755) == 0 || errno == EEXIST || system_error(error, "make the folder", folder);
}

static bool bind_socket(struct listener *listener, struct error *error)
{
    const struct runtime_map *map = listener->map;
    const char *path = map->listen.path;
    listener->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->socket < 0) {
        return system_error(error, "make a socket for", path);
    }
    struct sockaddr_un address = address_of(map);
    /* Nobody may connect before mode and group are as they should be. */
    mode_t mask = umask(0177);
    bool bound = bind(listener->socket, (const struct sockaddr *)(const void *)&address, sizeof address) == 0;
    umask(mask);
    if (!bound) {
        return system_error(error, "bind", path);
    }
    if (map->listen.group && chown(path, (uid_t)-1, map->listen.gid) != 0) {
        return system_error(error, "set the group of", path);
    }
    struct stat status;
    if (chmod(path, map->listen.mode) != 0 || lstat(path, &status) != 0) {
        return system_error(error, "set the mode of", path);
    }
    listener->device = status.st_dev;
    listener->inode = status.st_ino;
    return listen(listener->socket, SOMAXCONN) == 0 || system_error(error, "listen on", path);
}

struct listener *listener_open(const struct runtime_map *map, struct error *error)
{
    struct listener *listener = calloc(1, sizeof *listener);
    if (!listener) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    listener->map = map;
    listener->lock = listener->socket = listener->signals = -1;
    if (make_folder(map->listen.path, error) && take_lock(listener, error) && remove_stale(map, error) &&
        bind_socket(listener, error)) {
        return listener;
    }
    listener_close(listener);
    return NULL;
}

/* ---- accepting ---- */

/* From here on, nobody connects any more. */
static void give_up_socket(struct listener *listener)
{
    if (listener->socket < 0) {
        return;
    }
    struct stat status;
    const char *path = listener->map->listen.path;
    if (lstat(path, &status) == 0 && status.st_dev == listener->device && status.st_ino == listener->inode) {
        unlink(path);
    }
    close(listener->socket);
    listener->socket = -1;
}

static void accept_one(struct listener *listener, grpc_server_credentials *credentials)
{
    int connection = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection >= 0) {
        grpc_server_add_channel_from_fd(listener->server, connection, credentials);
        return;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        log_line(LOG_SERIOUS, "cannot accept a connection: %s", strerror(errno));
        usleep(100000); /* until a descriptor is free again */
    }
}

static void *accept_all(void *argument)
{
    struct listener *listener = argument;
    grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
    struct pollfd waits[] = {{.fd = listener->socket, .events = POLLIN}, {.fd = listener->signals, .events = POLLIN}};
    for (;;) {
        if (poll(waits, 2, -1) < 0) {
            continue;
        }
        if (waits[1].revents) {
            break;
        }
        accept_one(listener, credentials);
    }
    struct signalfd_siginfo info = {0};
    if (read(listener->signals, &info, sizeof info) != sizeof info) {
        log_line(LOG_SERIOUS, "cannot read which signal arrived");
    }
    grpc_server_credentials_release(credentials);
    give_up_socket(listener);
    listener->on_signal(listener->state, (int)info.ssi_signo);
    return NULL;
}

bool listener_start(struct listener *listener, grpc_server *server, const sigset_t *signals,
                    void (*on_signal)(void *state, int signal), void *state, struct error *error)
{
    listener->server = server;
    listener->on_signal = on_signal;
    listener->state = state;
    listener->signals = signalfd(-1, signals, SFD_CLOEXEC);
    if (listener->signals < 0) {
        return error_set(error, STATUS_INTERNAL, "cannot wait for signals: %s", strerror(errno));
    }
    int failure = pthread_create(&listener->thread, NULL, accept_all, listener);
    listener->running = failure == 0;
    return listener->running || error_set(error, STATUS_INTERNAL, "cannot start a thread: %s", strerror(failure));
}

void listener_close(struct listener *listener)
{
    if (!listener) {
        return;
    }
    if (listener->running) {
        pthread_join(listener->thread, NULL);
    }
    give_up_socket(listener);
    if (listener->signals >= 0) {
        close(listener->signals);
    }
    if (listener->lock >= 0) {
        close(listener->lock);
    }
    free(listener);
}
