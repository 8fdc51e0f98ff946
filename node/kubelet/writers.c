#include "node/kubelet/writers.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "node/systemd/join.h"
#include "node/systemd/unit_command.h"

#define MOST_SERVICES 2048
#define PROGRAMS_MEMORY ((size_t)4 << 20) /* for one service and its scripts */

struct search {
    const char *path; /* of the kubelet's file */
    const char *root;
    struct arena *arena; /* of one service */
};

static bool is_part_of_path(char c)
{
    return c != '\0' && strchr(" \t\n\"'=;:,)>", c) == NULL;
}

/* Whether the text names the file, not one whose name only begins with it. */
static bool names(const char *text, const char *path)
{
    size_t len = strlen(path);
    for (const char *at = strstr(text, path); at; at = strstr(at + 1, path)) {
        if (!is_part_of_path(at[len])) {
            return true;
        }
    }
    return false;
}

/* The text of a file; NULL: there is none, or it is not text. */
static const char *read_text(const struct search *search, const char *path)
{
    struct node_file file;
    bool is_link;
    bool read = path && read_through_link(path, search->arena, &file, &is_link, NULL) && file.present;
    return read && strlen((const char *)file.text.data) == file.text.len ? (const char *)file.text.data : NULL;
}

/* Whether a word of the line is a script that names the file. */
static bool starts_script(const struct search *search, char *line)
{
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\"'", &rest); word; word = strtok_r(NULL, " \t\"'", &rest)) {
        word += strspn(word, "-@:+!");
        const char *text =
            word[0] == '/' ? read_text(search, join_strings(search->arena, search->root, word, (char *)NULL)) : NULL;
        if (text && strncmp(text, "#!", 2) == 0 && names(text, search->path)) {
            return true;
        }
    }
    return false;
}

static bool may_write(const struct search *search, const char *unit_path)
{
    const char *text = read_text(search, unit_path);
    for (const char *at = text; at && *at;) {
        const char *end = strchrnul(at, '\n');
        if (strncmp(at, "Exec", 4) == 0) {
            while (*end && end[-1] == '\\') {
                end = strchrnul(end + 1, '\n');
            }
            char *line = (char *)(uintptr_t)arena_string(search->arena, bytes_of(at, (size_t)(end - at)));
            char *command = line ? strchr(line, '=') : NULL;
            if (command && (names(command, search->path) || starts_script(search, command + 1))) {
                return true;
            }
        }
        at = *end ? end + 1 : end;
    }
    return false;
}

static bool try_service(const char *folder, const char *name, const char *path, const char *root)
{
    struct search search = {.path = path, .root = root, .arena = arena_new(PROGRAMS_MEMORY)};
    bool found = search.arena && may_write(&search, join_strings(search.arena, root, folder, "/", name, (char *)NULL));
    arena_unref(search.arena);
    return found;
}

const char *writer_of(const char *path, const char *unit, const char *root, struct arena *arena)
{
    static const char *const folders[] = {"/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system"};
    const char *writer = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *folder = join_strings(arena, root, folders[i], (char *)NULL);
        DIR *opened = folder ? opendir(folder) : NULL;
        unsigned count = 0;
        for (struct dirent *entry; opened && !writer && count < MOST_SERVICES && (entry = readdir(opened)); count++) {
            bool other = string_ends_with(entry->d_name, ".service") && !(unit && strcmp(entry->d_name, unit) == 0);
            if (other && try_service(folders[i], entry->d_name, path, root)) {
                writer = arena_string(arena, bytes_of_string(entry->d_name));
            }
        }
        if (opened) {
            closedir(opened);
        }
    }
    return writer;
}
