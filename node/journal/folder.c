#include "node/journal/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "node/files/draft.h"
#include "node/files/node_file.h"
#include "node/files/node_folder.h"
#include "node/files/system_error.h"

/* How often another process may replace the folder while it is opened. */
#define MOST_TRIES 10

/* ---- the lock ---- */

/* The process that holds a lock of this kind on the file, by a line of /proc/locks such as
       1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
   0: a different lock. `same_device`: the line has the file's device; some file systems show a different one there. */
static int holder_of_line(char *line, const struct stat *status, bool *same_device)
{
    char *fields[6] = {0};
    char *rest = line;
    for (size_t i = 0; i < 6; i++) {
        do {
            fields[i] = strsep(&rest, " \n");
        } while (fields[i] && !*fields[i]);
    }
    if (!fields[5] || strcmp(fields[1], "FLOCK") != 0) {
        return 0;
    }
    char *at = fields[5];
    unsigned major_number = (unsigned)strtoul(at, &at, 16);
    unsigned minor_number = *at == ':' ? (unsigned)strtoul(at + 1, &at, 16) : 0;
    unsigned long long file = *at == ':' ? strtoull(at + 1, &at, 10) : 0;
    *same_device = makedev(major_number, minor_number) == status->st_dev;
    return file == status->st_ino ? (int)strtol(fields[4], NULL, 10) : 0;
}

/* The process that holds the lock on the file; 0: not found. */
static int lock_holder(const struct stat *status)
{
    int holder = 0;
    bool sure = false;
    char line[256];
    FILE *locks = fopen("/proc/locks", "re");
    if (!locks) {
        return 0;
    }
    while (!sure && fgets(line, sizeof line, locks)) {
        bool same_device = false;
        int pid = holder_of_line(line, status, &same_device);
        sure = pid > 0 && same_device;
        holder = sure || (pid > 0 && holder == 0) ? pid : holder;
    }
    fclose(locks);
    return holder;
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
        return error_set(error, STATUS_FAILED_PRECONDITION, "another process is using %s", folder->path);
    }
    return error_set(error, STATUS_FAILED_PRECONDITION, "process %d is using %s", holder, folder->path);
}

/* ---- opening ---- */

static bool make(struct journal_folder *folder, struct error *error)
{
    if (!node_folders_make(folder->path, node_folders_missing(folder->path), error)) {
        return false;
    }
    if (mkdir(folder->path, 0700) != 0) {
        return errno == EEXIST || system_error(error, "create the folder", folder->path);
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
                         "%s has mode %04o, so users other than its owner could look into it; it must be 0700", folder->path,
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
    return !*again || error_set(error, STATUS_UNAVAILABLE, "%s was replaced while it was being opened", folder->path);
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

bool folder_reserve(const struct journal_folder *folder, const char *name, size_t size, struct error *error)
{
    DESCRIPTOR_CLEANUP int file = openat(folder->opened, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return system_error(error, "make", name) || error_wrap(error, "%s", folder->path);
    }
    errno = posix_fallocate(file, 0, (off_t)size);
    if (errno != 0) {
        system_error(error, "reserve room in", folder->path);
        unlinkat(folder->opened, name, 0);
        return false;
    }
    return true;
}

bool folder_remove_file(const struct journal_folder *folder, const char *name, struct error *error)
{
    return unlinkat(folder->opened, name, 0) == 0 || errno == ENOENT || system_error(error, "remove", name) ||
           error_wrap(error, "%s", folder->path);
}

bool folder_remove_others(const struct journal_folder *folder, const char *name, struct error *error)
{
    bool good = true;
    DIR *entries = opendir(folder->path);
    if (!entries) {
        return system_error(error, "read the folder", folder->path);
    }
    for (const struct dirent *entry; good && (entry = readdir(entries));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && strcmp(entry->d_name, name) != 0) {
            good = folder_remove_file(folder, entry->d_name, error);
        }
    }
    closedir(entries);
    return good && folder_sync(folder, error);
}

bool folder_sync(const struct journal_folder *folder, struct error *error)
{
    return fsync(folder->opened) == 0 || system_error(error, "sync the folder", folder->path);
}
