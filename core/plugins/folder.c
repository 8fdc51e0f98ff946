#include "core/plugins/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/file.h"
#include "core/plugins/file.h"

#define SUFFIX ".json"

/* More than all good files together can need. */
#define MEMORY_CAP ((size_t)4 << 20)

#define MODE_OF_OTHERS (S_IWGRP | S_IWOTH)

/* The number of the folder in the places of problems; its files follow. */
#define FOLDER_ITSELF 0

/* One reading. */
struct reading {
    const char *path;
    int folder;
    unsigned timeout;
    const struct plugin_list *before;
    struct runtime_map_problems *problems;
    struct arena *memory;
    struct plugin_settings *plugins;
    size_t count;
    bool no_memory;
    char text[PLUGIN_FILE_SIZE + 1]; /* of one file, with a byte to see that it is longer */
};

const struct plugin_settings *plugin_list_find(const struct plugin_list *list, const char *name)
{
    for (size_t i = 0; list && i < list->count; i++) {
        if (strcmp(list->plugins[i].name, name) == 0) {
            return &list->plugins[i];
        }
    }
    return NULL;
}

/* ---- the list ---- */

/* Appends a plugin of that name. */
static void add(struct reading *reading, const struct plugin_settings *plugin, const char *name)
{
    struct plugin_settings *copy = &reading->plugins[reading->count];
    *copy = *plugin;
    copy->name = arena_string(reading->memory, bytes_of_string(name));
    copy->endpoint = arena_string(reading->memory, bytes_of_string(plugin->endpoint));
    reading->no_memory = reading->no_memory || !copy->name || !copy->endpoint;
    reading->count++;
}

/* What was known of the plugin stays. */
static void keep(struct reading *reading, const char *name)
{
    const struct plugin_settings *known = plugin_list_find(reading->before, name);
    if (known) {
        add(reading, known, name);
    }
}

/* ---- files ---- */

static void add_problem(const struct reading *reading, unsigned number, const char *problem)
{
    problems_add(reading->problems, (struct place){.file = number}, "%s", problem);
}

/* Whether only root and this process's user can change it. Adds a mistake if not. */
static bool check_owner(const struct reading *reading, unsigned number, const struct stat *status)
{
    struct place place = {.file = number};
    uid_t own = geteuid();
    if (status->st_uid != 0 && status->st_uid != own) {
        problems_add(reading->problems, place, "not used: it belongs to user %u; give it to root (chown root)",
                     (unsigned)status->st_uid);
        return false;
    }
    if (status->st_mode & MODE_OF_OTHERS) {
        problems_add(reading->problems, place,
                     "not used: with mode %04o, users other than its owner may write to it; remove that permission (chmod go-w)",
                     (unsigned)status->st_mode & 07777U);
        return false;
    }
    return true;
}

/* Whether it is a file that may be used. Adds a mistake if not. */
static bool check_kind(const struct reading *reading, unsigned number, const struct stat *status)
{
    switch (status->st_mode & S_IFMT) {
    case S_IFREG:
        return check_owner(reading, number, status);
    case S_IFDIR:
        add_problem(reading, number, "not used: it is a folder; put the plugin's settings in a file");
        return false;
    case S_IFIFO:
        add_problem(reading, number, "not used: it is a FIFO; put the plugin's settings in a file");
        return false;
    case S_IFSOCK:
        add_problem(reading, number, "not used: it is a socket; write a file with the path of the socket");
        return false;
    default:
        add_problem(reading, number, "not used: it is a device; put the plugin's settings in a file");
        return false;
    }
}

/* What becomes of a plugin whose file was not read. */
enum unread {
    UNREAD_GONE, /* it is not there, or must not be used */
    UNREAD_KEPT, /* there is no telling what it would say */
};

static enum unread note_failure(const struct reading *reading, unsigned number, const char *name, int failure)
{
    struct stat status;
    if (failure != ENOENT) {
        problems_add(reading->problems, (struct place){.file = number}, "cannot be read: %s", strerror(failure));
        return UNREAD_KEPT;
    }
    if (fstatat(reading->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        add_problem(reading, number, "not used: it is a link to something that does not exist; correct or remove it");
    }
    return UNREAD_GONE;
}

/* Opens a file for reading without blocking; -1 if it is not to be read. Checks it before, because opening some devices has an
   effect, and again afterwards, because it may have been replaced. */
static int open_file(const struct reading *reading, unsigned number, const char *name, enum unread *unread)
{
    struct stat status;
    *unread = UNREAD_GONE;
    if (fstatat(reading->folder, name, &status, 0) != 0) {
        *unread = note_failure(reading, number, name, errno);
        return -1;
    }
    if (!check_kind(reading, number, &status)) {
        return -1;
    }
    int file = openat(reading->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || fstat(file, &status) != 0) {
        *unread = note_failure(reading, number, name, errno);
        descriptor_close(&file);
    } else if (!check_kind(reading, number, &status)) {
        descriptor_close(&file);
    }
    return file;
}

static void read_file(struct reading *reading, unsigned number, const char *name)
{
    enum unread unread;
    int file = open_file(reading, number, name, &unread);
    if (file < 0) {
        if (unread == UNREAD_KEPT) {
            keep(reading, name);
        }
        return;
    }
    ssize_t size = file_read(file, reading->text, sizeof reading->text);
    int failure = errno;
    descriptor_close(&file);
    struct plugin_settings plugin = {.timeout = reading->timeout};
    struct plugin_file source = {.text = bytes_of(reading->text, size > 0 ? (size_t)size : 0),
                                 .number = number,
                                 .memory = reading->memory,
                                 .problems = reading->problems};
    if (size < 0) {
        note_failure(reading, number, name, failure);
        keep(reading, name);
    } else if (plugin_file_read(&source, &plugin)) {
        add(reading, &plugin, name);
    } else {
        keep(reading, name);
    }
}

/* ---- the folder ---- */

static int names_plugin(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends_with(entry->d_name, SUFFIX);
}

/* By bytes, whatever the locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Names are in the log and in status. */
static bool is_printable(const char *name)
{
    while (*name >= ' ' && *name <= '~') {
        name++;
    }
    return *name == '\0';
}

/* Opens the folder; -1 with `gone` if it does not exist or must not be used, or without if there is no telling what is in it. */
static int open_folder(const struct reading *reading, bool *gone)
{
    struct stat status;
    int folder = open(reading->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    *gone = folder < 0 && errno == ENOENT;
    if (*gone) {
        return -1;
    }
    if (folder < 0 || fstat(folder, &status) != 0) {
        problems_add(reading->problems, (struct place){.file = FOLDER_ITSELF}, "cannot be read: %s", strerror(errno));
        descriptor_close(&folder);
    } else if (!check_owner(reading, FOLDER_ITSELF, &status)) {
        *gone = true;
        descriptor_close(&folder);
    }
    return folder;
}

/* The paths of the folder and its files, for problems; unusual characters are replaced. false: no memory. */
static bool name_problems(const struct reading *reading, struct dirent **entries, size_t count)
{
    const char **paths = calloc(count + 1, sizeof *paths);
    bool good = paths != NULL;
    if (good) {
        paths[FOLDER_ITSELF] = reading->path;
    }
    for (size_t i = 0; good && i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", reading->path, entries[i]->d_name);
        for (char *letter = path; *letter; letter++) {
            *letter = *letter >= ' ' && *letter <= '~' ? *letter : '?';
        }
        paths[i + 1] = arena_string(reading->memory, bytes_of_string(path));
        good = paths[i + 1] != NULL;
    }
    if (good) {
        problems_set_files(reading->problems, paths, count + 1);
    }
    free(paths);
    return good;
}

static void read_entries(struct reading *reading, struct dirent **entries, size_t count)
{
    size_t used = count < PLUGIN_FOLDER_MOST ? count : PLUGIN_FOLDER_MOST;
    if (!name_problems(reading, entries, used)) {
        reading->no_memory = true;
        return;
    }
    if (used < count) {
        problems_add(reading->problems, (struct place){.file = FOLDER_ITSELF},
                     "%zu files, of which only the first %d are used; remove some", count, PLUGIN_FOLDER_MOST);
    }
    for (size_t i = 0; i < used; i++) {
        const char *name = entries[i]->d_name;
        unsigned number = (unsigned)i + 1;
        if (is_printable(name)) {
            read_file(reading, number, name);
        } else {
            add_problem(reading, number, "not used: its name contains characters other than printable ASCII; rename it");
        }
    }
}

static void keep_all(struct reading *reading)
{
    for (size_t i = 0; reading->before && i < reading->before->count; i++) {
        keep(reading, reading->before->plugins[i].name);
    }
}

static void read_folder(struct reading *reading)
{
    struct dirent **entries = NULL;
    bool gone;
    problems_set_files(reading->problems, &reading->path, 1);
    reading->folder = open_folder(reading, &gone);
    int count = reading->folder >= 0 ? scandirat(reading->folder, ".", &entries, names_plugin, compare_names) : -1;
    if (reading->folder >= 0 && count < 0) {
        problems_add(reading->problems, (struct place){.file = FOLDER_ITSELF}, "cannot be read: %s", strerror(errno));
    }
    if (count >= 0) {
        runtime_map_problems_clear(reading->problems); /* none so far: now with the names of all files */
        read_entries(reading, entries, (size_t)count);
    } else if (!gone) {
        keep_all(reading);
    }
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    descriptor_close(&reading->folder);
    problems_sort(reading->problems);
}

struct plugin_list *plugin_folder_read(const char *path, unsigned timeout, const struct plugin_list *before,
                                       struct runtime_map_problems *problems)
{
    *problems = (struct runtime_map_problems){0};
    struct arena *memory = arena_new(MEMORY_CAP);
    struct reading *reading = calloc(1, sizeof *reading);
    struct plugin_list *list = memory ? arena_zalloc(memory, sizeof *list) : NULL;
    struct plugin_settings *plugins = memory ? arena_zalloc(memory, PLUGIN_FOLDER_MOST * sizeof *plugins) : NULL;
    bool good = reading && list && plugins;
    if (good) {
        *reading = (struct reading){.path = path,
                                    .folder = -1,
                                    .timeout = timeout,
                                    .before = before,
                                    .problems = problems,
                                    .memory = memory,
                                    .plugins = plugins};
        read_folder(reading);
        *list = (struct plugin_list){.memory = memory, .plugins = plugins, .count = reading->count};
        good = !reading->no_memory;
    }
    free(reading);
    if (!good) {
        arena_unref(memory);
        return NULL;
    }
    return list;
}

void plugin_folder_make(const char *path)
{
    char part[PATH_MAX];
    for (size_t len = 1; path[len - 1] != '\0' && len < sizeof part; len++) {
        if (path[len] == '/' || path[len] == '\0') {
            snprintf(part, sizeof part, "%.*s", (int)len, path);
            if (mkdir(part, 0755) == 0) {
                chmod(part, 0755); /* whatever the umask */
            }
        }
    }
}
