#include "process_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/file.h"

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
    file_read_text(path, name, size);
    name[strcspn(name, "\n")] = '\0';
}

void process_name(pid_t pid, char *name, size_t size)
{
    char path[PATH_MAX];
    if (read_executable(pid, path, sizeof path)) {
        snprintf(name, size, "%s", basename(path));
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
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (pid > 0) {
        file_read_text(path, text, sizeof text);
    }
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : '\0';
}
