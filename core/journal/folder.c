#include "core/journal/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/files/draft.h"
#include "core/files/node_file.h"
#include "core/files/node_folder.h"
#include "core/files/system_error.h"

/* How often another process may replace the folder while it is opened. */
#define MOST_TRIES 10

/* ---- the lock ---- */

/* The process that holds a lock on the file, by the kernel's list of locks; 0: not found. Some file systems show their files
   there with another device. */
static int lock_holder(const struct stat *status)
{
    int holder = 0;
    FILE *locks = fopen("/proc/locks", "re");
    char line[256];
    while (locks && fgets(line, sizeof line, locks)) {
        int pid;
        unsigned device[2];
        uintmax_t file;
        if (sscanf(line, "%*u: FLOCK %*s %*s %d %x:%x:%ju", &pid, &device[0], &device[1], &file) != 4 || file != status->st_ino) {
            continue;
        }
        bool same = makedev(device[0], device[1]) == status->st_dev;
        holder = same || holder == 0 ? pid : holder;
        if (same) {
            break;
        }
    }
    if (locks) {
        fclose(locks);
    }
    return holder > 0 ? holder : 0;
}

static bool lock(const struct journal_folder *folder, const struct stat *status, struct error *error)
{
    if (flock(folder->opened, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    if (errno != EWOULDBLOCK) {
        return system_error(error, "lock", folder->path);
    }
    int holder = lock_holder(status);
    if (holder == 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "another process is at work in %s", folder->path);
    }
    return error_set(error, STATUS_FAILED_PRECONDITION, "process %d is at work in %s", holder, folder->path);
}

/* ---- opening ---- */

static bool make(struct journal_folder *folder, struct error *error)
{
    if (!node_folders_make(folder->path, node_folders_missing(folder->path), error)) {
        return false;
    }
    if (mkdir(folder->path, 0700) != 0) {
        return errno == EEXIST || system_error(error, "make the folder", folder->path);
    }
    folder->made = true;
    return node_folder_sync(folder->path, error);
}

static bool is_private(const struct journal_folder *folder, const struct stat *status, struct error *error)
{
    if (status->st_uid != geteuid()) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s belongs to uid %u, not to uid %u", folder->path,
                         (unsigned)status->st_uid, (unsigned)geteuid());
    }
    if ((status->st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "%s has mode %04o, so that others than its owner could look into it; it must be 0700", folder->path,
                         (unsigned)(status->st_mode & 07777));
    }
    return true;
}

/* Opens and locks what is at the path. `again`: it was replaced meanwhile. */
static bool try_open(struct journal_folder *folder, bool *again, struct error *error)
{
    struct stat status;
    struct stat named;
    folder->opened = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->opened < 0) {
        return system_error(error, "open the folder", folder->path);
    }
    if (fstat(folder->opened, &status) != 0) {
        return system_error(error, "look at", folder->path);
    }
    if (!is_private(folder, &status, error) || !lock(folder, &status, error)) {
        return false;
    }
    *again = lstat(folder->path, &named) != 0 || named.st_dev != status.st_dev || named.st_ino != status.st_ino;
    return !*again || error_set(error, STATUS_UNAVAILABLE, "%s was replaced while it was opened", folder->path);
}

bool folder_open(struct journal_folder *folder, const char *path, bool make_it, struct error *error)
{
    *folder = (struct journal_folder){.opened = -1, .path = path};
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        struct error reason = {0};
        bool again = false;
        if (try_open(folder, &again, &reason)) {
            return true;
        }
        descriptor_close(&folder->opened);
        if (reason.code == STATUS_NOT_FOUND && make_it) {
            again = make(folder, &reason);
        }
        error_set(error, reason.code, "%s", reason.message);
        if (!again) {
            return false;
        }
    }
    return false;
}

void folder_remove(const struct journal_folder *folder)
{
    if (rmdir(folder->path) == 0) {
        node_folder_sync(folder->path, NULL);
    }
}

void folder_close(struct journal_folder *folder)
{
    descriptor_close(&folder->opened);
}

/* ---- files ---- */

/* `path` has PATH_MAX bytes. */
static bool path_of(const struct journal_folder *folder, const char *name, char *path, struct error *error)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder->path, name) < PATH_MAX ||
           error_set(error, STATUS_INVALID_ARGUMENT, "the path of the journal is too long");
}

bool folder_read(const struct journal_folder *folder, const char *name, struct arena *arena, struct bytes *text,
                 struct error *error)
{
    char path[PATH_MAX];
    struct node_file file;
    if (!path_of(folder, name, path, error) || !node_file_read(path, arena, &file, error)) {
        return false;
    }
    *text = file.text;
    return true;
}

bool folder_write(const struct journal_folder *folder, const char *name, struct bytes text, struct error *error)
{
    char path[PATH_MAX];
    FILE_DRAFT_CLEANUP struct file_draft draft = FILE_DRAFT_NONE;
    return path_of(folder, name, path, error) && file_draft_open(&draft, path, error) && file_draft_write(&draft, text, error) &&
           file_draft_sync(&draft, error) && file_draft_place(&draft, false, error);
}

bool folder_remove_file(const struct journal_folder *folder, const char *name, struct error *error)
{
    return unlinkat(folder->opened, name, 0) == 0 || errno == ENOENT || system_error(error, "remove", name) ||
           error_wrap(error, "%s", folder->path);
}

bool folder_remove_others(const struct journal_folder *folder, const char *name, struct error *error)
{
    DIR *entries = opendir(folder->path);
    bool good = entries || system_error(error, "read the folder", folder->path);
    for (const struct dirent *entry; good && (entry = readdir(entries));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, name) != 0) {
            good = folder_remove_file(folder, entry->d_name, error);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return good && folder_sync(folder, error);
}

bool folder_sync(const struct journal_folder *folder, struct error *error)
{
    return fsync(folder->opened) == 0 || system_error(error, "sync the folder", folder->path);
}
