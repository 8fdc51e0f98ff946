/* Reads the texts of a runtime map's files and makes the map that they describe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/map/map.h"
#include "core/map/problems.h"

/* All the files of a map together have at most this many bytes. */
#define RUNTIME_MAP_LARGEST (1 << 20)

/* One file in memory. */
struct runtime_map_text {
    const char *path; /* for `files` and messages */
    const char *text;
    size_t size;
    const char *failure; /* why there is no text; NULL when there is one */
    bool in_no_file;     /* made by a program: `path` is only what messages call it, and it has no drop-ins */
};

/* Reads and checks a file and its drop-ins, in their order; at least one. A later file's values replace an earlier file's.
   Mappings, and runtimes of one name, are merged key by key. `problems` gets all mistakes, not only the first. NULL when there
   was an error; a map with warnings alone is good. The caller owns the map (runtime_map_free) and what is in `problems`
   (runtime_map_problems_clear). The map keeps nothing of the texts. */
struct runtime_map *runtime_map_parse_files(const struct runtime_map_text *texts, size_t count,
                                            struct runtime_map_problems *problems);
