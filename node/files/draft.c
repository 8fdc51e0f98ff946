#include "node/files/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/file.h"
#include "node/files/node_folder.h"
#include "node/files/system_error.h"

/* There may be a folder with such a name; then the next name is used. */
#define DRAFT_NAMES 8

/* `path` has PATH_MAX bytes. */
static bool name_draft(const char *target, unsigned number, char *path, struct error *error)
{
    const char *slash = strrchr(target, '/');
    char counted[16] = "";
    if (!slash || !slash[1]) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s is not the path of a file", target);
    }
    if (number > 0) {
        snprintf(counted, sizeof counted, ".%u", number);
    }
    int len = snprintf(path, PATH_MAX, "%.*s.%s%s.crigate", (int)(slash + 1 - target), target, slash + 1, counted);
    return len < PATH_MAX || error_set(error, STATUS_INVALID_ARGUMENT, "the path of %zu bytes is too long", strlen(target));
}

static bool is_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A read-only file system refuses before it looks whether there is such a file. */
static bool remove_old(const char *path, struct error *error)
{
    struct stat status;
    if (is_folder(path) || unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR) {
        return true;
    }
    int why = errno;
    if (why == EROFS && lstat(path, &status) != 0 && errno == ENOENT) {
        return true;
    }
    errno = why;
    return system_error(error, "remove", path);
}

bool file_draft_open(struct file_draft *draft, const char *target, struct error *error)
{
    unsigned number = 0;
    *draft = (struct file_draft){.file = -1, .target = target};
    do {
        if (!name_draft(target, number, draft->path, error)) {
            return false;
        }
    } while (is_folder(draft->path) && ++number < DRAFT_NAMES);
    if (!remove_old(draft->path, error)) {
        return false;
    }
    draft->file = open(draft->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return draft->file >= 0 || system_error(error, "make", draft->path);
}

bool file_draft_write(const struct file_draft *draft, struct bytes text, struct error *error)
{
    return file_write(draft->file, text.data, text.len) || system_error(error, "write", draft->path);
}

bool file_draft_sync(const struct file_draft *draft, struct error *error)
{
    return fsync(draft->file) == 0 || system_error(error, "sync", draft->path);
}

static bool rename_new(const struct file_draft *draft)
{
    if (renameat2(AT_FDCWD, draft->path, AT_FDCWD, draft->target, RENAME_NOREPLACE) == 0) {
        return true;
    }
    /* Some file systems do not support this. */
    return (errno == EINVAL || errno == ENOSYS) && access(draft->target, F_OK) != 0 && errno == ENOENT &&
           rename(draft->path, draft->target) == 0;
}

bool file_draft_place(struct file_draft *draft, bool new, struct error *error)
{
    if (!(new ? rename_new(draft) : rename(draft->path, draft->target) == 0)) {
        return system_error(error, "write", draft->target);
    }
    descriptor_close(&draft->file);
    return node_folder_sync(draft->target, error);
}

void file_draft_close(struct file_draft *draft)
{
    if (draft->file >= 0) {
        unlink(draft->path);
        descriptor_close(&draft->file);
    }
}

bool file_draft_remove(const char *target, struct error *error)
{
    char path[PATH_MAX];
    bool good = true;
    for (unsigned number = 0; good && number < DRAFT_NAMES; number++) {
        good = name_draft(target, number, path, error) && remove_old(path, error);
    }
    return good;
}
