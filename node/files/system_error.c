#include "node/files/system_error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum status_code code_of(int reason)
{
    switch (reason) {
    case ENOENT:
        return STATUS_NOT_FOUND;
    case EACCES:
    case EPERM:
        return STATUS_PERMISSION_DENIED;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
        return STATUS_RESOURCE_EXHAUSTED;
    case ELOOP:
    case ENXIO:
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case EROFS:
        return STATUS_FAILED_PRECONDITION;
    default:
        return STATUS_UNAVAILABLE;
    }
}

static bool is_immutable(const char *path)
{
    struct statx status;
    return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &status) == 0 &&
           (status.stx_attributes & status.stx_attributes_mask & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
}

/* The path, or the folder that it is in, if one of them is immutable; `folder` has PATH_MAX bytes. */
static const char *immutable_part(const char *path, char *folder)
{
    if (is_immutable(path)) {
        return path;
    }
    const char *slash = strrchr(path, '/');
    int len = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    return len > 0 && snprintf(folder, PATH_MAX, "%.*s", len, path) < PATH_MAX && is_immutable(folder) ? folder : NULL;
}

bool system_error(struct error *error, const char *what, const char *path)
{
    int reason = errno;
    char folder[PATH_MAX];
    const char *immutable = reason == EPERM || reason == EACCES ? immutable_part(path, folder) : NULL;
    if (immutable) {
        return error_set(error, STATUS_PERMISSION_DENIED,
                         "cannot %s %s: %s is immutable or append-only; \"chattr -i -a\" removes these attributes", what, path,
                         immutable);
    }
    if (reason == ELOOP) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "cannot %s %s: it is a symbolic link", what, path);
    }
    return error_set(error, code_of(reason), "cannot %s %s: %s", what, path, strerror(reason));
}
