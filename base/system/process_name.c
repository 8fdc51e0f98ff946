#include "process_name.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the kernel appends to the path of an executable that was removed or replaced. */
#define DELETED " (deleted)"

static bool read_executable(pid_t pid, char *path, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    size_t end = strlen(path);
    size_t suffix = strlen(DELETED);
    if (end > suffix && strcmp(path + end - suffix, DELETED) == 0) {
        path[end - suffix] = '\0';
    }
    return path[0] != '\0';
}

static void read_comm(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, name, size - 1) : 0;
    name[length > 0 ? length : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (fd >= 0) {
        close(fd);
    }
}

void process_name(pid_t pid, char *name, size_t size)
{
    char path[PATH_MAX];
    if (read_executable(pid, path, sizeof path)) {
        const char *slash = strrchr(path, '/');
        snprintf(name, size, "%s", slash ? slash + 1 : path);
    } else {
        read_comm(pid, name, size);
    }
    for (char *c = name; *c; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
}

/* "812 (name) S 1 ...": the name may have anything in it, also parentheses. */
char process_state(pid_t pid)
{
    char text[256];
    snprintf(text, sizeof text, "/proc/%d/stat", (int)pid);
    int fd = pid > 0 ? open(text, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    text[length > 0 ? length : 0] = '\0';
    if (fd >= 0) {
        close(fd);
    }
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : '\0';
}
