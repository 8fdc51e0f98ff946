#include "core/service/listening_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "core/service/passed.h"

/* For a process that may not give a file to a group. */
#define GROUP_ADVICE                                                                                                             \
    "; it needs CAP_CHOWN, or must be in that group: use a group of crigate's own, add SupplementaryGroups= to its unit, or "    \
    "have "                                                                                                                      \
    "systemd create the socket with SocketGroup= in crigate.socket"

/* For a folder that may not be written to. */
#define FOLDER_ADVICE "; if crigate.service forbids it, add a drop-in with ReadWritePaths= for its folder"

static bool system_error(struct error *error, const char *what, const char *path)
{
    return error_set(error, STATUS_UNAVAILABLE, "cannot %s %s: %s%s", what, path, strerror(errno),
                     errno == EROFS ? FOLDER_ADVICE : "");
}

static void init(struct listening_socket *socket, const struct map_socket *entry)
{
    *socket = (struct listening_socket){.fd = -1, .lock = -1};
    snprintf(socket->path, sizeof socket->path, "%s", entry->path);
}

/* ---- the lock ---- */

struct lock_name {
    char text[sizeof((struct listening_socket *)0)->path + sizeof ".lock"];
};

static struct lock_name lock_name_of(const struct listening_socket *socket)
{
    struct lock_name name;
    snprintf(name.text, sizeof name.text, "%s.lock", socket->path);
    return name;
}

/* Held as long as the process lives, so that no two processes replace each other's socket. The file itself stays. */
static bool take_lock(struct listening_socket *socket, struct error *error)
{
    struct lock_name name = lock_name_of(socket);
    socket->lock = open(name.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (socket->lock < 0) {
        return system_error(error, "open the lock file", name.text);
    }
    if (flock(socket->lock, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    if (errno != EWOULDBLOCK) {
        return system_error(error, "lock", name.text);
    }
    return error_set(error, STATUS_FAILED_PRECONDITION,
                     "another crigate owns %s (its lock %s is held); stop that one first, or take over from it with --takeover",
                     socket->path, name.text);
}

/* With the folders above it: a socket whose path must end in run/crio/crio.sock has several. Callers pass through them, whatever
   the umask. */
static bool make_folder(const char *path, struct error *error)
{
    char folder[sizeof(struct sockaddr_un)];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(folder, 0755) == 0 ? chmod(folder, 0755) == 0 : errno == EEXIST || access(folder, F_OK) == 0;
        if (!made) {
            return system_error(error, "create the folder", folder);
        }
        *slash = '/';
    }
    return true;
}

static bool record_file(struct listening_socket *socket, struct error *error)
{
    struct stat status;
    if (lstat(socket->path, &status) != 0) {
        return system_error(error, "look at", socket->path);
    }
    socket->device = status.st_dev;
    socket->inode = status.st_ino;
    return true;
}

/* ---- a socket of our own ---- */

/* A socket file without a listener is left over from a crash; one with a listener is another program's. */
static bool remove_stale(const char *path, struct error *error)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT || system_error(error, "look at", path);
    }
    if (S_ISLNK(status.st_mode)) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "%s is a symbolic link, such as `crigate bypass on` creates; run `crigate bypass off`, or remove it",
                         path);
    }
    if (!S_ISSOCK(status.st_mode)) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s exists and is not a socket; move it away, or listen elsewhere",
                         path);
    }
    if (!descriptor_is_stale(path)) {
        return errno == EADDRINUSE ? error_set(error, STATUS_FAILED_PRECONDITION,
                                               "another program listens on %s; stop it, or listen elsewhere", path)
                                   : system_error(error, "find out whether a program listens on", path);
    }
    return unlink(path) == 0 || errno == ENOENT || system_error(error, "remove the stale socket", path);
}

static bool set_mode_and_group(const struct listening_socket *socket, const struct map_socket *entry, struct error *error)
{
    if (entry->group && chown(socket->path, (uid_t)-1, entry->gid) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot give %s to the group %s of listen.group: %s%s", socket->path,
                         entry->group, strerror(errno), errno == EPERM ? GROUP_ADVICE : "");
    }
    return chmod(socket->path, entry->mode) == 0 || system_error(error, "set the mode of", socket->path);
}

static bool bind_socket(struct listening_socket *own, const struct map_socket *entry, struct error *error)
{
    own->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (own->fd < 0) {
        return system_error(error, "create a socket for", own->path);
    }
    /* Nobody may connect before mode and group are set. */
    if (!descriptor_bind(own->fd, own->path)) {
        return system_error(error, "bind", own->path);
    }
    return set_mode_and_group(own, entry, error) && record_file(own, error) &&
           (listen(own->fd, SOMAXCONN) == 0 || system_error(error, "listen on", own->path));
}

/* ---- a socket from another process ---- */

static void address_text(int fd, char *text, size_t size)
{
    struct sockaddr_un address = {0};
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)(void *)&address, &length) != 0 || address.sun_family != AF_UNIX) {
        snprintf(text, size, "not a Unix socket");
    } else {
        snprintf(text, size, "unix://%.*s", (int)sizeof address.sun_path, address.sun_path);
    }
}

static bool adopt_descriptor(struct listening_socket *socket, int fd, const char *whose, struct error *error)
{
    if (!descriptor_listens(fd, socket->path)) {
        char text[sizeof(struct sockaddr_un) + 16];
        address_text(fd, text, sizeof text);
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s is %s, but the runtime map has unix://%s", whose, text,
                         socket->path);
    }
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
        return system_error(error, "use the socket", socket->path);
    }
    socket->fd = fd;
    return true;
}

/* One of `count` sockets of the service manager, from descriptor PASSED_FIRST on. */
static bool adopt_activated(struct listening_socket *socket, int count, struct error *error)
{
    int chosen = PASSED_FIRST;
    for (int fd = PASSED_FIRST; fd < PASSED_FIRST + count; fd++) {
        if (descriptor_listens(fd, socket->path)) {
            chosen = fd;
        }
    }
    bool good = adopt_descriptor(socket, chosen, "the socket that the service manager passes", error);
    socket->activated = true;
    return good;
}

/* ---- start and end ---- */

bool listening_socket_open(struct listening_socket *socket, const struct map_socket *entry, int passed, struct error *error)
{
    init(socket, entry);
    bool good = make_folder(socket->path, error) && take_lock(socket, error);
    if (passed > 0) {
        struct error unseen; /* the service manager's /tmp need not be ours */
        good = good && adopt_activated(socket, passed, error);
        record_file(socket, &unseen);
    } else {
        good = good && remove_stale(socket->path, error) && bind_socket(socket, entry, error);
    }
    if (!good) {
        listening_socket_close(socket);
    }
    return good;
}

bool listening_socket_adopt(struct listening_socket *socket, const struct map_socket *entry, int fd, int lock, bool activated,
                            struct error *error)
{
    init(socket, entry);
    socket->activated = activated;
    socket->shared = true;
    if (adopt_descriptor(socket, fd, "the socket that is handed over", error) && record_file(socket, error)) {
        if (descriptor_locks(lock, lock_name_of(socket).text)) {
            socket->lock = lock;
            return true;
        }
        error_set(error, STATUS_FAILED_PRECONDITION, "the descriptor that was handed over is not the lock of %s", socket->path);
    }
    close(fd);
    close(lock);
    socket->fd = -1;
    return false;
}

bool listening_socket_apply_map(const struct listening_socket *socket, const struct map_socket *entry, struct error *error)
{
    bool is_ours = socket->fd >= 0 && !socket->activated && socket->inode != 0 && listening_socket_has_file(socket);
    return !is_ours || set_mode_and_group(socket, entry, error);
}

void listening_socket_release(struct listening_socket *socket)
{
    socket->shared = true;
    listening_socket_close(socket);
}

bool listening_socket_has_file(const struct listening_socket *socket)
{
    struct stat status;
    return socket->inode == 0 ||
           (lstat(socket->path, &status) == 0 && status.st_dev == socket->device && status.st_ino == socket->inode);
}

static void remove_own_file(const struct listening_socket *socket)
{
    if (!socket->activated && !socket->shared && listening_socket_has_file(socket)) {
        unlink(socket->path);
    }
}

void listening_socket_stop(struct listening_socket *socket)
{
    if (socket->fd >= 0) {
        remove_own_file(socket);
        descriptor_close(&socket->fd);
    }
}

void listening_socket_close(struct listening_socket *socket)
{
    listening_socket_stop(socket);
    descriptor_close(&socket->lock);
}
