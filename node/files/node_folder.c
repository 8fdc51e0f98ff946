#include "node/files/node_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "node/files/system_error.h"

/* The folder that is `levels` above the path; "/" at the top. `folder` has PATH_MAX bytes. */
static const char *above(const char *path, unsigned levels, char *folder)
{
    snprintf(folder, PATH_MAX, "%s", path);
    for (unsigned i = 0; i < levels; i++) {
        char *slash = strrchr(folder, '/');
        while (slash && slash > folder && slash[-1] == '/') {
            slash--;
        }
        if (!slash) {
            return memcpy(folder, ".", sizeof ".");
        }
        slash[slash == folder] = '\0';
    }
    return folder;
}

unsigned node_folders_missing(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    unsigned count = 0;
    while (stat(above(path, count + 1, folder), &status) != 0 && errno == ENOENT && strcmp(folder, "/") != 0) {
        count++;
    }
    return count;
}

static bool make(const char *folder, struct error *error)
{
    if (mkdir(folder, 0755) != 0) {
        return errno == EEXIST || system_error(error, "create the folder", folder);
    }
    return (chmod(folder, 0755) == 0 || system_error(error, "change the mode of", folder)) && node_folder_sync(folder, error);
}

bool node_folders_make(const char *path, unsigned count, struct error *error)
{
    char folder[PATH_MAX];
    for (; count > 0; count--) {
        if (!make(above(path, count, folder), error)) {
            return false;
        }
    }
    return true;
}

bool node_folders_remove(const char *path, unsigned count, struct error *error)
{
    char folder[PATH_MAX];
    for (unsigned i = 1; i <= count; i++) {
        if (rmdir(above(path, i, folder)) != 0 && errno != ENOENT) {
            return errno == ENOTEMPTY || errno == EEXIST || system_error(error, "remove the folder", folder);
        }
    }
    return true;
}

/* Resolves the folder alone. `resolved` has `size` bytes. */
static bool resolve(const char *path, char *resolved, size_t size)
{
    char folder[PATH_MAX], name[PATH_MAX], real[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(name, sizeof name, "%s", path);
    return realpath(dirname(folder), real) && (size_t)snprintf(resolved, size, "%s/%s", real, basename(name)) < size;
}

bool node_path_is_same(const char *one, const char *other)
{
    char first[PATH_MAX], second[PATH_MAX];
    return strcmp(one, other) == 0 ||
           (resolve(one, first, sizeof first) && resolve(other, second, sizeof second) && strcmp(first, second) == 0);
}

bool node_folder_sync(const char *path, struct error *error)
{
    char folder[PATH_MAX];
    above(path, 1, folder);
    DESCRIPTOR_CLEANUP int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return opened < 0 ? system_error(error, "open the folder", folder)
                      : fsync(opened) == 0 || system_error(error, "sync the folder", folder);
}
