#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/files/node_file.h"
#include "node/files/system_error.h"

/* As many links as the kernel follows in one path. */
#define MOST_LINKS 40

/* A path that is followed, part by part. */
struct walk {
    const char *path;    /* the whole, for messages */
    char done[PATH_MAX]; /* checked, without links; "" for the root */
    char rest[PATH_MAX]; /* to come */
    unsigned links;
};

static bool is_too_long(const struct walk *walk, struct error *error)
{
    return error_set(error, STATUS_INVALID_ARGUMENT, "the path %.64s... is too long", walk->path);
}

/* Whether only root can write to what is at `done`. */
static bool check_part(const struct walk *walk, const struct stat *status, struct error *error)
{
    const char *part = walk->done[0] ? walk->done : "/";
    if (status->st_uid != 0) {
        return error_set(error, STATUS_PERMISSION_DENIED, "%s belongs to uid %u, not to root: that user could change %s", part,
                         (unsigned)status->st_uid, walk->path);
    }
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return error_set(error, STATUS_PERMISSION_DENIED,
                         "%s has mode %04o: users other than root could write to it, and so change %s", part,
                         (unsigned)(status->st_mode & 07777), walk->path);
    }
    return true;
}

/* Puts what the link at `done` leads to in front of the rest. */
static bool follow(struct walk *walk, struct error *error)
{
    char target[PATH_MAX];
    char joined[PATH_MAX];
    ssize_t len = readlink(walk->done, target, sizeof target - 1);
    if (len < 0) {
        return system_error(error, "read the link", walk->done);
    }
    if (++walk->links > MOST_LINKS) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s leads through more than %d links", walk->path, MOST_LINKS);
    }
    target[len] = '\0';
    if (snprintf(joined, sizeof joined, "%s/%s", target, walk->rest) >= (int)sizeof joined) {
        return is_too_long(walk, error);
    }
    memcpy(walk->rest, joined, sizeof joined);
    *(target[0] == '/' ? walk->done : strrchr(walk->done, '/')) = '\0';
    return true;
}

/* Moves the first part of the rest to what is done. false: there is no more, or an error. */
static bool take_part(struct walk *walk, struct error *error)
{
    const char *part = walk->rest + strspn(walk->rest, "/");
    size_t len = strcspn(part, "/");
    size_t done = strlen(walk->done);
    if (len == 0) {
        return false;
    }
    if (len == 2 && memcmp(part, "..", 2) == 0) {
        char *slash = strrchr(walk->done, '/');
        walk->done[slash ? slash - walk->done : 0] = '\0';
    } else if (len != 1 || *part != '.') {
        if (done + 1 + len >= sizeof walk->done) {
            return is_too_long(walk, error);
        }
        walk->done[done] = '/';
        memcpy(walk->done + done + 1, part, len);
        walk->done[done + 1 + len] = '\0';
    }
    memmove(walk->rest, part + len, strlen(part + len) + 1);
    return true;
}

bool node_file_check_owner(const char *path, struct error *error)
{
    struct walk walk = {.path = path};
    struct error reason = {0};
    if (path[0] != '/' || snprintf(walk.rest, sizeof walk.rest, "%s", path) >= (int)sizeof walk.rest) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "\"%.64s\" is not an absolute path, or is too long", path);
    }
    do {
        struct stat status;
        if (lstat(walk.done[0] ? walk.done : "/", &status) != 0) {
            return errno == ENOENT || errno == ENOTDIR || system_error(error, "look at", walk.done);
        }
        if (!(S_ISLNK(status.st_mode) ? follow(&walk, error) : check_part(&walk, &status, error))) {
            return false;
        }
    } while (take_part(&walk, &reason));
    return reason.code == STATUS_OK || error_set(error, reason.code, "%s", reason.message);
}
