#include "node/preflight/socket.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/http/get.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "base/system/unix_socket.h"

#define LARGEST_ANSWER ((size_t)64 * 1024)

const char *socket_path(const char *endpoint)
{
    static const char short_scheme[] = "unix:";
    const char *path = unix_socket_path(endpoint);
    path += path == endpoint && strncmp(path, short_scheme, strlen(short_scheme)) == 0 ? strlen(short_scheme) : 0;
    return *path == '/' ? path : NULL;
}

const char *socket_endpoint(const char *path, struct arena *arena)
{
    struct bytes whole = arena_join(arena, (struct bytes[]){bytes_of_string(SOCKET_SCHEME), bytes_of_string(path)}, 2);
    return whole.data ? arena_string(arena, whole) : NULL;
}

bool socket_is_same(const char *one, const char *other)
{
    struct stat first, second;
    if (!one || !other) {
        return false;
    }
    if (stat(one, &first) == 0 && stat(other, &second) == 0) {
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    }
    return strcmp(one, other) == 0;
}

static bool explain_errno(int number, struct error *error)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return error_set(error, STATUS_NOT_FOUND, "there is no such socket");
    case EACCES:
    case EPERM:
        return error_set(error, STATUS_PERMISSION_DENIED, "only root may connect");
    case ECONNREFUSED:
        return error_set(error, STATUS_UNAVAILABLE, "nothing listens");
    case EAGAIN:
        return error_set(error, STATUS_DEADLINE_EXCEEDED, "it accepts no connections: its queue is full");
    default:
        return error_set(error, STATUS_UNAVAILABLE, "%s", strerror(number));
    }
}

/* A descriptor that does not block, or -1 with errno: EAGAIN if the queue of connections is still full at `end`. */
static int connect_until(const char *path, int64_t end)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    int connection;
    while ((connection = unix_socket_connect(path, SOCK_NONBLOCK)) < 0 &&
           (errno == EINTR || (errno == EAGAIN && clock_ms() < end))) {
        nanosleep(&pause, NULL);
    }
    return connection;
}

bool socket_listens(const char *path, unsigned timeout, struct error *error)
{
    int connection = connect_until(path, clock_ms() + timeout);
    if (connection < 0) {
        return explain_errno(errno, error);
    }
    close(connection);
    return true;
}

struct bytes socket_http_get(const char *path, const char *target, unsigned timeout, struct arena *arena)
{
    int64_t end = clock_ms() + timeout;
    size_t len = 0;
    char *answer = arena_alloc(arena, LARGEST_ANSWER);
    DESCRIPTOR_CLEANUP int connection = answer ? connect_until(path, end) : -1;
    bool whole = connection >= 0 && http_get(connection, "localhost", target, end, answer, LARGEST_ANSWER, &len) == 0 &&
                 len < LARGEST_ANSWER;
    return whole ? bytes_of(answer, len) : (struct bytes){0};
}

pid_t socket_listener(const char *path, unsigned timeout)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    DESCRIPTOR_CLEANUP int connection = connect_until(path, clock_ms() + timeout);
    bool good = connection >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return good ? peer.pid : 0;
}

/* ---- sockets of other processes, by /proc ---- */

/* Of a line of /proc/net/unix. 0: it does not listen, or has another path. */
static uint64_t listening_inode(const char *line, const char *path_end)
{
    enum { LISTENS = 1 << 16 };
    unsigned flags;
    uint64_t inode;
    int path = 0;
    if (sscanf(line, "%*x: %*x %*x %x %*x %*x %" SCNu64 " %n", &flags, &inode, &path) != 2 || path == 0 || !(flags & LISTENS)) {
        return 0;
    }
    size_t length = strcspn(line + path, "\n");
    size_t end = strlen(path_end);
    return length >= end && strncmp(line + path + length - end, path_end, end) == 0 ? inode : 0;
}

/* Whether one of the process's descriptors is the socket. */
static bool has_open(pid_t process, uint64_t inode)
{
    enum { LONGEST = 64 };
    char name[LONGEST], wanted[LONGEST], target[LONGEST];
    snprintf(name, sizeof name, "/proc/%d/fd", (int)process);
    snprintf(wanted, sizeof wanted, "socket:[%" PRIu64 "]", inode);
    DIR *folder = opendir(name);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

bool socket_is_held(pid_t process, const char *path_end)
{
    FILE *sockets = process > 0 ? fopen("/proc/net/unix", "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    bool held = false;
    while (sockets && !held && getline(&line, &room, sockets) > 0) {
        uint64_t inode = listening_inode(line, path_end);
        held = inode > 0 && has_open(process, inode);
    }
    free(line);
    if (sockets) {
        fclose(sockets);
    }
    return held;
}
