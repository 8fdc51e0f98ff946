#include "node/systemd/path_pattern.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEEPEST 64 /* folders in one path */

struct expansion {
    struct arena *arena;
    const char **paths;
    size_t most, count;
    bool failed; /* no memory */
};

bool path_is_pattern(const char *path)
{
    return strpbrk(path, "*?[") != NULL;
}

static void add(struct expansion *expansion, const char *path)
{
    if (expansion->count < expansion->most) {
        const char *copy = arena_string(expansion->arena, bytes_of_string(path));
        expansion->failed = expansion->failed || !copy;
        expansion->paths[expansion->count] = copy;
        expansion->count += copy != NULL;
    }
}

/* Follows the pattern, which begins behind a slash, from the folder on. */
static void follow(struct expansion *expansion, const char *folder, const char *pattern, unsigned depth)
{
    char path[PATH_MAX], part[NAME_MAX + 1];
    size_t len = strcspn(pattern, "/");
    const char *rest = pattern[len] ? pattern + len + 1 : NULL;
    if (len >= sizeof part || depth == DEEPEST) {
        return;
    }
    snprintf(part, sizeof part, "%.*s", (int)len, pattern);
    struct dirent **found = NULL;
    int count = path_is_pattern(part) ? scandir(folder[0] ? folder : "/", &found, NULL, alphasort) : 0;
    if (!path_is_pattern(part) && snprintf(path, sizeof path, "%s/%s", folder, part) < (int)sizeof path) {
        if (rest) {
            follow(expansion, path, rest, depth + 1);
        } else if (access(path, F_OK) == 0) {
            add(expansion, path);
        }
    }
    for (int i = 0; i < count; i++) {
        bool fits = fnmatch(part, found[i]->d_name, FNM_PERIOD) == 0 &&
                    snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name) < (int)sizeof path;
        if (fits && rest) {
            follow(expansion, path, rest, depth + 1);
        } else if (fits) {
            add(expansion, path);
        }
        free(found[i]);
    }
    free(found);
}

bool path_pattern_expand(const char *pattern, size_t most, struct arena *arena, const char **paths, size_t *count)
{
    struct expansion expansion = {.arena = arena, .paths = paths, .most = most};
    if (!path_is_pattern(pattern) || pattern[0] != '/') {
        add(&expansion, pattern);
    } else {
        follow(&expansion, "", pattern + 1, 0);
    }
    *count = expansion.count;
    return !expansion.failed;
}
