#include "socket_shutdown.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

bool socket_is_same(const char *path, const char *other)
{
    struct stat one, two;
    return strcmp(path, other) == 0 ||
           (stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino);
}

static bool leads_to(int fd, const char *path)
{
    struct sockaddr_un peer = {0};
    socklen_t length = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &length) != 0 || peer.sun_family != AF_UNIX) {
        return false;
    }
    size_t size = length - offsetof(struct sockaddr_un, sun_path);
    char name[sizeof peer.sun_path + 1] = {0};
    memcpy(name, peer.sun_path, size < sizeof name ? size : sizeof name - 1);
    return name[0] == '/' && socket_is_same(path, name);
}

/* Looks at a copy, so that the number cannot become another socket's in between. */
static void cut_if(int fd, const char *path)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) {
        if (leads_to(copy, path)) {
            shutdown(copy, SHUT_RDWR);
        }
        close(copy);
    }
}

void socket_shutdown(const char *endpoint)
{
    static const char scheme[] = "unix://";
    const char *path = strncmp(endpoint, scheme, sizeof scheme - 1) == 0 ? endpoint + sizeof scheme - 1 : endpoint;
    DIR *descriptors = opendir("/proc/self/fd");
    for (struct dirent *entry = descriptors ? readdir(descriptors) : NULL; entry; entry = readdir(descriptors)) {
        if (entry->d_name[0] != '.') {
            cut_if((int)strtol(entry->d_name, NULL, 10), path);
        }
    }
    if (descriptors) {
        closedir(descriptors);
    }
}
