#include "node/bypass/connections.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/system/descriptor.h"

struct search {
    int process; /* a descriptor of it */
    struct stat socket_file;
    bool cut;
};

/* A listener may have bound its socket under another name for the same path. */
static bool leads_to(int connection, const struct stat *socket_file)
{
    struct sockaddr_un address = {0};
    socklen_t size = sizeof address;
    struct stat status;
    char path[sizeof address.sun_path + 1];
    if (getpeername(connection, (struct sockaddr *)(void *)&address, &size) != 0 || address.sun_family != AF_UNIX) {
        return false;
    }
    snprintf(path, sizeof path, "%.*s", (int)sizeof address.sun_path, address.sun_path);
    return path[0] == '/' && stat(path, &status) == 0 && status.st_dev == socket_file->st_dev &&
           status.st_ino == socket_file->st_ino;
}

/* false: the kernel does not allow it at all. */
static bool take_one(const struct search *search, int number, size_t *count, struct error *error)
{
    DESCRIPTOR_CLEANUP int connection = (int)syscall(SYS_pidfd_getfd, search->process, number, 0);
    if (connection < 0 && (errno == ENOSYS || errno == EPERM)) {
        return error_set(error, errno == ENOSYS ? STATUS_UNIMPLEMENTED : STATUS_PERMISSION_DENIED,
                         "its connections cannot be reached: %s", strerror(errno));
    }
    if (connection >= 0 && leads_to(connection, &search->socket_file) && (!search->cut || shutdown(connection, SHUT_RDWR) == 0)) {
        (*count)++;
    }
    return true;
}

static bool is_socket(int folder, const char *name)
{
    char text[32];
    ssize_t length = readlinkat(folder, name, text, sizeof text);
    return length > 8 && strncmp(text, "socket:[", 8) == 0;
}

static bool take_all(const struct search *search, DIR *descriptors, size_t *count, struct error *error)
{
    bool possible = true;
    for (const struct dirent *entry; possible && (entry = readdir(descriptors));) {
        if (is_socket(dirfd(descriptors), entry->d_name)) {
            possible = take_one(search, (int)strtol(entry->d_name, NULL, 10), count, error);
        }
    }
    return possible;
}

static bool search_process(pid_t pid, const char *path, bool cut, size_t *count, struct error *error)
{
    char folder[64];
    struct search search = {.cut = cut};
    *count = 0;
    if (stat(path, &search.socket_file) != 0) {
        return error_set(error, STATUS_NOT_FOUND, "%s: %s", path, strerror(errno));
    }
    DESCRIPTOR_CLEANUP int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0) {
        return error_set(error, errno == ENOSYS ? STATUS_UNIMPLEMENTED : STATUS_NOT_FOUND, "process %d: %s", (int)pid,
                         strerror(errno));
    }
    search.process = process;
    snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
    DIR *descriptors = opendir(folder);
    if (!descriptors) {
        return error_set(error, errno == EACCES ? STATUS_PERMISSION_DENIED : STATUS_NOT_FOUND, "%s: %s", folder, strerror(errno));
    }
    bool done = take_all(&search, descriptors, count, error);
    closedir(descriptors);
    return done;
}

bool connections_count(pid_t pid, const char *path, size_t *count, struct error *error)
{
    return search_process(pid, path, false, count, error);
}

bool connections_cut(pid_t pid, const char *path, size_t *count, struct error *error)
{
    return search_process(pid, path, true, count, error);
}
