#include "bypass.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "node/files/node_file.h"
#include "node/files/system_error.h"

#define FILE_MODE 0644
#define MEMORY ((size_t)4 << 20)

/* ---- files ---- */

/* NULL as text: no file. */
static bool set_file_in(const char *path, const char *text, struct arena *arena, struct error *error)
{
    struct node_file file;
    if (!node_file_read(path, arena, &file, error)) {
        return false;
    }
    if (!text && !file.present) {
        return true;
    }
    if (!node_file_check_owner(path, error)) {
        return false;
    }
    if (!text) {
        return node_file_remove(&file, error);
    }
    return (file.present && bytes_equal(file.text, bytes_of_string(text))) ||
           node_file_replace(&file, bytes_of_string(text), FILE_MODE, error);
}

static bool set_file(const char *path, const char *text, struct error *error)
{
    struct arena *arena = arena_new(MEMORY);
    bool set = arena ? set_file_in(path, text, arena, error) : error_out_of_memory(error);
    arena_unref(arena);
    return set;
}

/* What a path needs in a line of tmpfiles.d(5): "%" is special there, and a blank ends it. */
static bool may_be_in_tmpfiles(const char *path)
{
    return strpbrk(path, "% \t\"'\\") == NULL;
}

static bool write_tmpfiles(const struct bypass_record *record, struct error *error)
{
    char text[1024], folder[sizeof record->link];
    if (!may_be_in_tmpfiles(record->link) || !may_be_in_tmpfiles(record->target)) {
        return error_set(error, STATUS_INVALID_ARGUMENT,
                         "a path has a character that systemd-tmpfiles treats specially: %s or %s", record->link, record->target);
    }
    snprintf(folder, sizeof folder, "%s", record->link);
    snprintf(text, sizeof text,
             "# Written by `crigate bypass on`; `crigate bypass off` removes it.\n"
             "d %s 0755 root root -\n"
             "L %s - - - - %s\n",
             dirname(folder), record->link, record->target);
    return set_file(BYPASS_TMPFILES_PATH, text, error);
}

bool bypass_check_owner(struct error *error)
{
    return node_file_check_owner(BYPASS_TMPFILES_PATH, error) && node_file_check_owner(BYPASS_RECORD_PATH, error);
}

bool bypass_note(const struct bypass_record *record, struct error *error)
{
    char text[1024];
    bypass_record_print(record, text, sizeof text);
    return set_file(BYPASS_NOTE_PATH, text, error);
}

bool bypass_erase_note(struct error *error)
{
    return set_file(BYPASS_NOTE_PATH, NULL, error);
}

bool bypass_write(const struct bypass_record *record, struct error *error)
{
    char text[1024];
    bypass_record_print(record, text, sizeof text);
    if (write_tmpfiles(record, error) && set_file(BYPASS_RECORD_PATH, text, error)) {
        return bypass_erase_note(error);
    }
    if (access(BYPASS_RECORD_PATH, F_OK) != 0) { /* without a record, crigate would start at boot beside the link */
        set_file(BYPASS_TMPFILES_PATH, NULL, NULL);
    }
    return false;
}

bool bypass_erase_record(struct error *error)
{
    return set_file(BYPASS_RECORD_PATH, NULL, error) && bypass_erase_note(error);
}

bool bypass_erase(struct error *error)
{
    return bypass_erase_record(error) && set_file(BYPASS_TMPFILES_PATH, NULL, error);
}

/* ---- the link ---- */

enum bypass_link bypass_link_look(const char *path, const char *target)
{
    char leads_to[sizeof((struct bypass_record *)0)->target + 1];
    struct stat status;
    if (lstat(path, &status) != 0) {
        return BYPASS_LINK_NOTHING;
    }
    if (!S_ISLNK(status.st_mode)) {
        return BYPASS_LINK_SOCKET;
    }
    ssize_t length = readlink(path, leads_to, sizeof leads_to - 1);
    leads_to[length > 0 ? length : 0] = '\0';
    return strcmp(leads_to, target) == 0 ? BYPASS_LINK_THERE : BYPASS_LINK_ELSEWHERE;
}

static bool sync_folder_of(const char *path, struct error *error)
{
    char copy[sizeof((struct bypass_record *)0)->link];
    snprintf(copy, sizeof copy, "%s", path);
    DESCRIPTOR_CLEANUP int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return (folder >= 0 && fsync(folder) == 0) || system_error(error, "sync the folder of", path);
}

bool bypass_link_place(const char *path, const char *target, struct error *error)
{
    char beside[sizeof((struct bypass_record *)0)->link + sizeof ".bypass"], folder[sizeof((struct bypass_record *)0)->link];
    snprintf(beside, sizeof beside, "%s.bypass", path);
    snprintf(folder, sizeof folder, "%s", path);
    const char *name = dirname(folder);
    if (mkdir(name, 0755) != 0 && errno != EEXIST) {
        return system_error(error, "create the folder", name);
    }
    if (unlink(beside) != 0 && errno != ENOENT) {
        return system_error(error, "remove", beside);
    }
    if (symlink(target, beside) != 0) {
        return system_error(error, "create the link", beside);
    }
    if (rename(beside, path) != 0) {
        system_error(error, "put a link at", path);
        unlink(beside);
        return false;
    }
    return sync_folder_of(path, error);
}

bool bypass_link_remove(const char *path, struct error *error)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT || errno == ENOTDIR || system_error(error, "look at", path);
    }
    return !S_ISLNK(status.st_mode) || unlink(path) == 0 || system_error(error, "remove the link", path);
}
