#include "node/files/node_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/file.h"
#include "node/files/draft.h"
#include "node/files/node_folder.h"
#include "node/files/system_error.h"

/* ---- reading ---- */

/* Opens a regular file. -1 with an error; the code is NOT_FOUND if there is none. */
static int open_regular(const char *path, struct stat *status, struct error *error)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENXIO) {
            error_set(error, STATUS_FAILED_PRECONDITION, "%s is not a regular file", path);
        } else {
            system_error(error, "open", path);
        }
        return -1;
    }
    if (fstat(file, status) != 0) {
        system_error(error, "look at", path);
        descriptor_close(&file);
    } else if (!S_ISREG(status->st_mode)) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s is not a regular file", path);
        descriptor_close(&file);
    }
    return file;
}

static bool read_text(int file, struct node_file *read, struct arena *arena, struct error *error)
{
    if (read->status.st_size < 0 || (uintmax_t)read->status.st_size > NODE_FILE_LARGEST) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s has %jd bytes; at most %zu are read", read->path,
                         (intmax_t)read->status.st_size, NODE_FILE_LARGEST);
    }
    size_t size = (size_t)read->status.st_size;
    uint8_t *data = arena_alloc(arena, size + 1);
    if (!data) {
        return error_out_of_memory(error);
    }
    ssize_t len = file_read(file, data, size + 1);
    if (len < 0) {
        return system_error(error, "read", read->path);
    }
    if ((size_t)len != size) {
        return error_set(error, STATUS_UNAVAILABLE, "%s changed while it was being read", read->path);
    }
    data[size] = '\0';
    read->text = bytes_of(data, size);
    return true;
}

bool node_file_read(const char *path, struct arena *arena, struct node_file *file, struct error *error)
{
    struct error reason = {0};
    *file = (struct node_file){.path = arena_string(arena, bytes_of_string(path))};
    if (!file->path) {
        return error_out_of_memory(error);
    }
    DESCRIPTOR_CLEANUP int opened = open_regular(path, &file->status, &reason);
    if (opened < 0) {
        file->status = (struct stat){0};
        return reason.code == STATUS_NOT_FOUND || error_set(error, reason.code, "%s", reason.message);
    }
    file->present = true;
    return read_text(opened, file, arena, error);
}

/* ---- the same file as before ---- */

static bool is_other(const struct node_file *file, struct error *error)
{
    return error_set(error, STATUS_FAILED_PRECONDITION, "%s was changed by another program in the meantime", file->path);
}

static bool has_text(int opened, const struct node_file *file, struct error *error)
{
    uint8_t piece[16384];
    struct bytes rest = file->text;
    ssize_t len;
    do {
        len = file_read(opened, piece, sizeof piece);
        if (len < 0) {
            return system_error(error, "read", file->path);
        }
        if (!bytes_start_with(rest, bytes_of(piece, (size_t)len))) {
            return is_other(file, error);
        }
        rest = bytes_after(rest, (size_t)len);
    } while (len == sizeof piece);
    return rest.len == 0 || is_other(file, error);
}

/* Opens the file that was read, if it is still at its path with its content; `status` gets what it is now. -1 with an error. */
static int open_again(const struct node_file *file, struct stat *status, struct error *error)
{
    struct error reason = {0};
    int opened = open_regular(file->path, status, &reason);
    if (opened < 0) {
        if (reason.code == STATUS_NOT_FOUND) {
            is_other(file, error);
        } else {
            error_set(error, reason.code, "%s", reason.message);
        }
        return -1;
    }
    bool same = status->st_dev == file->status.st_dev && status->st_ino == file->status.st_ino;
    if (!(same ? has_text(opened, file, error) : is_other(file, error))) {
        descriptor_close(&opened);
    }
    return opened;
}

bool node_file_attributes(const struct node_file *file, struct arena *arena, struct file_attributes *attributes,
                          struct error *error)
{
    *attributes = (struct file_attributes){0};
    if (!file->present) {
        return true;
    }
    struct stat status;
    DESCRIPTOR_CLEANUP int opened = open_again(file, &status, error);
    return opened >= 0 && file_attributes_read(opened, file->path, arena, attributes, error);
}

/* Whether the path is as it was when the file was read. */
static bool is_as_read(const struct node_file *file, struct error *error)
{
    struct stat status;
    if (!file->present) {
        return lstat(file->path, &status) != 0 ? errno == ENOENT || system_error(error, "look at", file->path)
                                               : is_other(file, error);
    }
    DESCRIPTOR_CLEANUP int opened = open_again(file, &status, error);
    return opened >= 0;
}

bool node_file_check_links(const struct node_file *file, struct error *error)
{
    return !file->present || file->status.st_nlink == 1 ||
           error_set(error, STATUS_FAILED_PRECONDITION,
                     "%s is a hard link: the file has %ju names, and an edit would separate this name from the others. First "
                     "turn it into a separate file, with cp -a and mv",
                     file->path, (uintmax_t)file->status.st_nlink);
}

/* ---- replacing ---- */

/* The draft is written; it takes the file's place if that is still as it was read. */
static bool place_draft(struct file_draft *draft, const struct node_file *file, struct error *error)
{
    return file_draft_sync(draft, error) && is_as_read(file, error) && file_draft_place(draft, !file->present, error);
}

/* Gives an open file all that it had. */
static bool give_back(int opened, const struct node_file *file, const struct stat *status,
                      const struct file_attributes *attributes, struct error *error)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, status->st_mtim};
    return file_attributes_give(opened, file->path, status, attributes, error) &&
           (futimens(opened, times) == 0 || system_error(error, "set the time of", file->path));
}

/* Writes the text from the beginning of the file on. It takes one call, so that no other process sees half of it. */
static bool write_over(int opened, struct bytes text)
{
    return pwrite(opened, text.data, text.len, 0) == (ssize_t)text.len && ftruncate(opened, (off_t)text.len) == 0;
}

/* Where the disk has no room for a second file: in the blocks of the present one, if they hold the text. */
static bool restore_in_place(const struct node_file *file, struct bytes text, const struct stat *status,
                             const struct file_attributes *attributes, struct error *error)
{
    struct stat now;
    DESCRIPTOR_CLEANUP int opened = open(file->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0 || fstat(opened, &now) != 0 || now.st_dev != file->status.st_dev || now.st_ino != file->status.st_ino ||
        text.len > (size_t)now.st_blocks * 512) {
        return false;
    }
    if (!write_over(opened, text)) {
        system_error(error, "write", file->path);
        write_over(opened, file->text);
        return false;
    }
    return give_back(opened, file, status, attributes, error) && (fsync(opened) == 0 || system_error(error, "sync", file->path));
}

static bool restore_beside(const struct node_file *file, struct bytes text, const struct stat *status,
                           const struct file_attributes *attributes, struct error *error)
{
    FILE_DRAFT_CLEANUP struct file_draft draft = FILE_DRAFT_NONE;
    return file_draft_open(&draft, file->path, error) && file_draft_write(&draft, text, error) &&
           give_back(draft.file, file, status, attributes, error) && place_draft(&draft, file, error);
}

bool node_file_restore(const struct node_file *file, struct bytes text, const struct stat *status,
                       const struct file_attributes *attributes, struct error *error)
{
    struct error reason = {0};
    if (!is_as_read(file, error) || !node_folders_make(file->path, node_folders_missing(file->path), error)) {
        return false;
    }
    return restore_beside(file, text, status, attributes, &reason) ||
           (reason.code == STATUS_RESOURCE_EXHAUSTED && file->present &&
            restore_in_place(file, text, status, attributes, &reason)) ||
           error_set(error, reason.code, "%s", reason.message);
}

/* Gives the draft what the file has that it replaces. */
static bool copy_attributes(const struct file_draft *draft, const struct node_file *file, struct error *error)
{
    struct stat status;
    struct file_attributes attributes;
    DESCRIPTOR_CLEANUP int opened = open_again(file, &status, error);
    if (opened < 0) {
        return false;
    }
    struct arena *arena = arena_new(FILE_ATTRIBUTES_LARGEST);
    bool good = arena ? file_attributes_read(opened, file->path, arena, &attributes, error) &&
                            file_attributes_give(draft->file, file->path, &status, &attributes, error)
                      : error_out_of_memory(error);
    arena_unref(arena);
    return good;
}

static bool give_mode(const struct file_draft *draft, mode_t mode, struct error *error)
{
    return fchmod(draft->file, mode) == 0 || system_error(error, "change the mode of", draft->path);
}

bool node_file_replace(const struct node_file *file, struct bytes text, mode_t mode, struct error *error)
{
    FILE_DRAFT_CLEANUP struct file_draft draft = FILE_DRAFT_NONE;
    unsigned missing = file->present ? 0 : node_folders_missing(file->path);
    bool done = is_as_read(file, error) && node_folders_make(file->path, missing, error) &&
                file_draft_open(&draft, file->path, error) && file_draft_write(&draft, text, error) &&
                (file->present ? copy_attributes(&draft, file, error) : give_mode(&draft, mode, error)) &&
                place_draft(&draft, file, error);
    if (!done) {
        file_draft_close(&draft);
        node_folders_remove(file->path, missing, NULL);
    }
    return done;
}

bool node_file_remove(const struct node_file *file, struct error *error)
{
    if (!is_as_read(file, error)) {
        return false;
    }
    return !file->present ||
           ((unlink(file->path) == 0 || system_error(error, "remove", file->path)) && node_folder_sync(file->path, error));
}

bool node_file_remove_draft(const char *path, struct error *error)
{
    return file_draft_remove(path, error);
}
