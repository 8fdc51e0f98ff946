#include "core/map/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/bytes/arena.h"
#include "base/system/file.h"
#include "base/system/keyed_hash.h"
#include "core/map/names.h"
#include "core/map/read.h"

#define SUFFIX ".yaml"

#define MOST_DROP_INS 256

/* Room for all texts, even the one that is too big, and for all paths. */
#define MEMORY_CAP (16 << 20)

struct sources {
    struct arena *memory; /* of all below */
    char *buffer;         /* for one file, with one byte to spare */
    struct runtime_map_text texts[1 + MOST_DROP_INS];
    size_t count;
    size_t size; /* bytes read so far */
};

/* Appends a file that was not read. false when memory is short. */
static bool add_failure(struct sources *sources, const char *path, const char *failure)
{
    char *copy = arena_string(sources->memory, bytes_of_string(failure));
    sources->texts[sources->count++] = (struct runtime_map_text){.path = path, .failure = copy};
    return copy != NULL;
}

/* /dev/null, which people link to instead of an empty file. */
static bool is_null_device(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/* Why it must not be read, or NULL. Anything but a file may never end, or block the reader. Reading a folder fails by itself. */
static const char *wrong_kind(const struct stat *status)
{
    switch (status->st_mode & S_IFMT) {
    case S_IFIFO:
        return "it is a FIFO; put the map in a file";
    case S_IFSOCK:
        return "it is a socket; put the map in a file";
    case S_IFCHR:
    case S_IFBLK:
        return is_null_device(status) ? NULL : "it is a device; put the map in a file";
    default:
        return NULL;
    }
}

/* Opens a file for reading without blocking; -1 with the reason. Checks its kind before, because opening some devices has an
   effect, and again afterwards, because the file may have been replaced. */
static int open_file(const char *path, const char **failure)
{
    struct stat status;
    int file = -1;
    *failure = stat(path, &status) == 0 ? wrong_kind(&status) : strerror(errno);
    if (*failure) {
        return -1;
    }
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || fstat(file, &status) != 0) {
        *failure = strerror(errno);
    } else {
        *failure = wrong_kind(&status);
    }
    if (file >= 0 && *failure) {
        close(file);
        file = -1;
    }
    return file;
}

/* Appends a file, read or not; `path` lives as long as the sources. false when memory is short. */
static bool add_file(struct sources *sources, const char *path)
{
    const char *reason;
    int file = open_file(path, &reason);
    if (file < 0) {
        return add_failure(sources, path, reason);
    }
    ssize_t size = file_read(file, sources->buffer, RUNTIME_MAP_LARGEST + 1); /* one byte beyond the limit */
    int failure = errno;
    close(file);
    if (size < 0) {
        return add_failure(sources, path, strerror(failure));
    }
    char *text = arena_string(sources->memory, bytes_of(sources->buffer, (size_t)size));
    sources->texts[sources->count++] = (struct runtime_map_text){.path = path, .text = text, .size = (size_t)size};
    sources->size += (size_t)size;
    return text != NULL;
}

static int is_drop_in(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && string_ends_with(entry->d_name, SUFFIX);
}

/* By bytes, whatever the locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Beyond the size limit nothing more is read: the last file that was read is then the mistake. */
static bool add_drop_in(struct sources *sources, const char *folder, const char *name)
{
    if (sources->size > RUNTIME_MAP_LARGEST) {
        return true;
    }
    size_t size = strlen(folder) + strlen(name) + sizeof "/";
    char *path = arena_alloc(sources->memory, size);
    if (!path) {
        return false;
    }
    snprintf(path, size, "%s/%s", folder, name);
    return add_file(sources, path);
}

/* false when memory is short. A folder that cannot be read counts as a file that cannot. */
static bool add_drop_ins(struct sources *sources, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_drop_in, compare_names);
    if (count < 0) {
        return errno == ENOENT || add_failure(sources, folder, strerror(errno));
    }
    bool good = count <= MOST_DROP_INS || add_failure(sources, folder, "it has more than 256 files");
    for (int i = 0; i < count; i++) {
        if (count <= MOST_DROP_INS) {
            good = good && add_drop_in(sources, folder, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool add_all(struct sources *sources, const char *path)
{
    const char *folder = drop_in_folder(path, sources->memory);
    return folder && add_file(sources, path) && add_drop_ins(sources, folder);
}

/* false when memory is short. */
static bool read_all(struct sources *sources, const char *path)
{
    *sources = (struct sources){.memory = arena_new(MEMORY_CAP), .buffer = malloc(RUNTIME_MAP_LARGEST + 1)};
    return sources->memory && sources->buffer && add_all(sources, path);
}

static void free_all(struct sources *sources)
{
    free(sources->buffer);
    arena_unref(sources->memory);
}

/* Each name and each text counts with what came before it. */
static uint64_t fingerprint_of(const struct sources *sources)
{
    struct hash_key key = {0};
    for (size_t i = 0; i < sources->count; i++) {
        const struct runtime_map_text *text = &sources->texts[i];
        key.halves[0] = keyed_hash(&key, bytes_of_string(text->path));
        key.halves[1] = keyed_hash(&key, text->failure ? bytes_of_string(text->failure) : bytes_of(text->text, text->size));
    }
    return key.halves[0] ^ key.halves[1];
}

/* The fingerprint stays as it is if memory is short. */
static struct runtime_map *load(const char *path, uint64_t *fingerprint, struct runtime_map_problems *problems)
{
    struct sources sources;
    struct runtime_map *map = NULL;
    if (read_all(&sources, path)) {
        *fingerprint = fingerprint_of(&sources);
        map = runtime_map_parse_files(sources.texts, sources.count, problems);
    } else {
        *problems = (struct runtime_map_problems){0};
        problems_add(problems, (struct place){0}, "out of memory");
    }
    free_all(&sources);
    return map;
}

const char *runtime_map_state(const struct runtime_map *map, const struct runtime_map_problems *problems)
{
    return map ? map->state : problems->state ? problems->state : RUNTIME_MAP_DEFAULT_STATE;
}

struct runtime_map *runtime_map_load(const char *path, struct runtime_map_problems *problems)
{
    uint64_t fingerprint;
    return load(path, &fingerprint, problems);
}

struct runtime_map *runtime_map_load_good(const char *path)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(path, &problems);
    runtime_map_problems_clear(&problems);
    return map;
}

struct runtime_map *runtime_map_load_from(struct runtime_map_source *source, struct runtime_map_problems *problems)
{
    if (!source->text) {
        return load(source->path, &source->fingerprint, problems);
    }
    const struct runtime_map_text text = {
        .path = source->path, .text = source->text, .size = strlen(source->text), .in_no_file = true};
    return runtime_map_parse_files(&text, 1, problems);
}

bool runtime_map_has_changed(const struct runtime_map_source *source)
{
    struct sources sources;
    if (source->text) {
        return false;
    }
    bool changed = read_all(&sources, source->path) && fingerprint_of(&sources) != source->fingerprint;
    free_all(&sources);
    return changed;
}
