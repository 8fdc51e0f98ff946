#include "core/store/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/file.h"

#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

static bool system_error(struct error *error, const char *what, const char *name)
{
    if (errno == ELOOP) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "%s is a symbolic link: it is left alone", name);
    }
    return error_set(error, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_UNAVAILABLE, "cannot %s %s: %s", what, name,
                     strerror(errno));
}

/* ---- opening ---- */

/* Runtimes' names hold nothing that means something in a path; this keeps it so. */
static bool file_name(const struct state_file *place, const char *suffix, const char *draft, char *name, struct error *error)
{
    size_t len = strlen(place->name) + strlen(suffix) + strlen(draft);
    if (place->name[0] == '.' || place->name[0] == '\0' || strchr(place->name, '/') || len >= OWN_FILE_NAME_SIZE) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "\"%s\" cannot be part of a file's name", place->name);
    }
    snprintf(name, OWN_FILE_NAME_SIZE, "%s%s%s", place->name, suffix, draft);
    return true;
}

static int open_folder(const struct state_file *place, struct error *error)
{
    int folder = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        system_error(error, "open the folder", place->folder);
    }
    return folder;
}

static bool is_ours(int file, const char *name, struct stat *status, struct error *error)
{
    if (fstat(file, status) != 0) {
        return system_error(error, "look at", name);
    }
    if (!S_ISREG(status->st_mode) || status->st_uid != geteuid() || (status->st_mode & 077) != 0 || status->st_nlink > 1) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "%s is not a file of mode 0600 with one name that belongs to uid %u: it is left alone", name,
                         (unsigned)geteuid());
    }
    return true;
}

bool own_file_open(struct own_file *file, const struct state_file *place, const char *suffix, int flags, struct error *error)
{
    *file = (struct own_file){.folder = open_folder(place, error), .file = -1};
    if (file->folder < 0 || !file_name(place, suffix, "", file->name, error)) {
        return false;
    }
    file->file = openat(file->folder, file->name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat status;
    if (file->file < 0) {
        return system_error(error, "open", file->name);
    }
    if (!is_ours(file->file, file->name, &status, error)) {
        descriptor_close(&file->file);
        return false;
    }
    file->size = (uint64_t)status.st_size;
    return true;
}

void own_file_close(struct own_file *file)
{
    descriptor_close(&file->file);
    descriptor_close(&file->folder);
}

bool own_file_read(const struct own_file *file, uint8_t *data, size_t size, struct error *error)
{
    ssize_t len = file_read(file->file, data, size);
    if (len < 0) {
        return system_error(error, "read", file->name);
    }
    return (size_t)len == size || error_set(error, STATUS_DATA_LOSS, "%s became shorter while it was read", file->name);
}

bool own_file_cut(const struct own_file *file, uint64_t size, struct error *error)
{
    return ftruncate(file->file, (off_t)size) == 0 || system_error(error, "cut", file->name);
}

bool own_file_unlink(const struct own_file *file, struct error *error)
{
    return unlinkat(file->folder, file->name, 0) == 0 || system_error(error, "remove", file->name);
}

bool own_file_is_same(const struct own_file *file, int other)
{
    struct stat ours;
    struct stat theirs;
    return fstat(file->file, &ours) == 0 && fstat(other, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

/* ---- replacing ---- */

/* Whether the name still leads to the open file: another process may have moved it on before we had the lock. */
static bool still_named(int folder, const char *name, const struct stat *status)
{
    struct stat named;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == status->st_dev &&
           named.st_ino == status->st_ino;
}

/* The draft under its one name, locked: two processes (one that takes over from another) never write the same draft, and whoever
   is killed leaves one that the next takes. -1 with an error. */
static int open_draft(int folder, const char *name, struct error *error)
{
    int draft = openat(folder, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat status;
    if (draft < 0) {
        system_error(error, "open", name);
        return -1;
    }
    bool ours = is_ours(draft, name, &status, error);
    if (ours && (flock(draft, LOCK_EX | LOCK_NB) != 0 || !still_named(folder, name, &status))) {
        ours = error_set(error, STATUS_UNAVAILABLE, "another process is writing %s", name);
    }
    if (ours && ftruncate(draft, 0) != 0) {
        ours = system_error(error, "empty", name);
    }
    if (!ours) {
        descriptor_close(&draft);
    }
    return draft;
}

int own_file_replace(const struct state_file *place, const char *suffix, struct bytes content, struct error *error)
{
    char name[OWN_FILE_NAME_SIZE];
    char draft_name[OWN_FILE_NAME_SIZE];
    DESCRIPTOR_CLEANUP int folder = open_folder(place, error);
    if (folder < 0 || !file_name(place, suffix, "", name, error) || !file_name(place, suffix, ".new", draft_name, error)) {
        return -1;
    }
    int draft = open_draft(folder, draft_name, error);
    if (draft < 0) {
        return -1;
    }
    bool done = file_write(draft, content.data, content.len) || system_error(error, "write", draft_name);
    if (done && renameat(folder, draft_name, folder, name) != 0) {
        done = system_error(error, "rename", draft_name);
    }
    if (!done) {
        unlinkat(folder, draft_name, 0);
        descriptor_close(&draft);
    }
    return draft;
}

struct bytes own_file_boot(char *text)
{
    DESCRIPTOR_CLEANUP int file = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t len = file < 0 ? 0 : read(file, text, OWN_FILE_BOOT_SIZE);
    return bytes_of(text, len > 0 ? (size_t)len : 0);
}
