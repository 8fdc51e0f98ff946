#include "core/files/node_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/files/draft.h"
#include "core/files/node_folder.h"
#include "core/files/system_error.h"

/* ---- reading ---- */

/* Opens a regular file. -1 with an error; the code is NOT_FOUND if there is none. */
static int open_regular(const char *path, struct stat *status, struct error *error)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENXIO) {
            error_set(error, STATUS_FAILED_PRECONDITION, "%s is no regular file", path);
        } else {
            system_error(error, "open", path);
        }
        return -1;
    }
    if (fstat(file, status) != 0) {
        system_error(error, "look at", path);
        descriptor_close(&file);
    } else if (!S_ISREG(status->st_mode)) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s is no regular file", path);
        descriptor_close(&file);
    }
    return file;
}

/* Reads up to `size` bytes; less than that is the end of the file. */
static bool read_up_to(int file, const char *path, uint8_t *data, size_t size, size_t *len, struct error *error)
{
    for (*len = 0; *len < size;) {
        ssize_t count = read(file, data + *len, size - *len);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return system_error(error, "read", path);
        }
        *len += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool read_text(int file, struct node_file *read, struct arena *arena, struct error *error)
{
    if (read->status.st_size < 0 || (uintmax_t)read->status.st_size > NODE_FILE_LARGEST) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "%s has %jd bytes; at most %zu are read", read->path,
                         (intmax_t)read->status.st_size, NODE_FILE_LARGEST);
    }
    size_t size = (size_t)read->status.st_size;
    size_t len;
    uint8_t *data = arena_alloc(arena, size + 1);
    if (!data) {
        return error_out_of_memory(error);
    }
    if (!read_up_to(file, read->path, data, size + 1, &len, error)) {
        return false;
    }
    if (len != size) {
        return error_set(error, STATUS_UNAVAILABLE, "%s changed while it was read", read->path);
    }
    data[len] = '\0';
    read->text = bytes_of(data, len);
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
    return error_set(error, STATUS_FAILED_PRECONDITION, "%s was changed by somebody else in the meantime", file->path);
}

static bool has_text(int opened, const struct node_file *file, struct error *error)
{
    uint8_t piece[16384];
    struct bytes rest = file->text;
    size_t len;
    do {
        if (!read_up_to(opened, file->path, piece, sizeof piece, &len, error)) {
            return false;
        }
        if (!bytes_start_with(rest, bytes_of(piece, len))) {
            return is_other(file, error);
        }
        rest = bytes_after(rest, len);
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

/* ---- replacing ---- */

/* The draft is written; it takes the file's place if that is still as it was read. */
static bool place_draft(struct file_draft *draft, const struct node_file *file, struct error *error)
{
    return file_draft_sync(draft, error) && is_as_read(file, error) && file_draft_place(draft, !file->present, error);
}

bool node_file_restore(const struct node_file *file, struct bytes text, const struct stat *status,
                       const struct file_attributes *attributes, struct error *error)
{
    FILE_DRAFT_CLEANUP struct file_draft draft = FILE_DRAFT_NONE;
    if (!is_as_read(file, error) || !node_folders_make(file->path, node_folders_missing(file->path), error) ||
        !file_draft_open(&draft, file->path, error)) {
        return false;
    }
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, status->st_mtim};
    return file_draft_write(&draft, text, error) && file_attributes_give(draft.file, file->path, status, attributes, error) &&
           (futimens(draft.file, times) == 0 || system_error(error, "set the time of", file->path)) &&
           place_draft(&draft, file, error);
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
