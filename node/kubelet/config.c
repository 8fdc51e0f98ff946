#include "node/kubelet/config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "node/files/yaml_edit.h"
#include "node/systemd/join.h"
#include "node/systemd/unit_command.h"

#define MOST_DROP_INS 512
#define DEEPEST 8 /* folders in folders */

struct walk {
    struct arena *arena;
    const char *suffix;
    const char **paths;
    size_t count;
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool walk_folder(struct walk *walk, const char *folder, unsigned depth);

/* Takes a file, or goes into a folder; links to folders are not followed, as in Go's WalkDir. */
static bool walk_entry(struct walk *walk, const char *folder, const char *name, unsigned depth)
{
    struct stat status;
    const char *path = join_strings(walk->arena, folder, "/", name, (char *)NULL);
    if (!path) {
        return false;
    }
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return depth >= DEEPEST || walk_folder(walk, path, depth + 1);
    }
    if (string_ends_with(name, walk->suffix) && walk->count < MOST_DROP_INS) {
        walk->paths[walk->count++] = path;
    }
    return true;
}

static bool walk_folder(struct walk *walk, const char *folder, unsigned depth)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    bool good = count >= 0 || errno != ENOMEM;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        good = good && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || walk_entry(walk, folder, name, depth));
        free(entries[i]);
    }
    if (count >= 0) {
        free((void *)entries);
    }
    return good;
}

bool config_drop_ins(const struct config_files *files, struct arena *arena, const char ***paths, size_t *count,
                     struct error *error)
{
    struct walk walk = {
        .arena = arena, .suffix = files->suffix, .paths = arena_zalloc(arena, MOST_DROP_INS * sizeof *walk.paths)};
    if (!walk.paths || (files->folder && !walk_folder(&walk, files->folder, 0))) {
        return error_out_of_memory(error);
    }
    *paths = walk.paths;
    *count = walk.count;
    return true;
}

/* Looks into one file. */
static bool look_into(const char *path, enum kubelet_source source, const char *key, struct arena *arena,
                      struct kubelet_setting *setting, struct error *error)
{
    struct node_file file;
    struct yaml_edit_value found;
    bool is_link;
    if (!read_through_link(path, arena, &file, &is_link, error)) {
        return false;
    }
    if (!file.present) {
        return true;
    }
    switch (yaml_edit_find(path, file.text, key, arena, &found, error)) {
    case YAML_EDIT_INVALID:
        return false;
    case YAML_EDIT_ABSENT:
        return true;
    case YAML_EDIT_OTHER:
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s:%u: %s is not text", path, found.place.line, key);
    case YAML_EDIT_SCALAR:
        if (found.value[0]) { /* the kubelet takes an empty text for none */
            *setting = (struct kubelet_setting){.value = found.value, .source = source, .place = found.place};
        }
    }
    return true;
}

bool config_find(const struct config_files *files, const char *key, struct arena *arena, struct kubelet_setting *setting,
                 struct error *error)
{
    const char **paths = NULL;
    size_t count = 0;
    if (files->file && !look_into(files->file, KUBELET_SOURCE_CONFIG, key, arena, setting, error)) {
        return false;
    }
    if (!config_drop_ins(files, arena, &paths, &count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!look_into(paths[i], KUBELET_SOURCE_DROP_IN, key, arena, setting, error)) {
            return false;
        }
    }
    return true;
}
