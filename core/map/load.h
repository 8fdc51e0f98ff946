/* Loads a runtime map from where it is: the operator's file and its drop-ins, or a text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/map/map.h"
#include "core/map/problems.h"

/* Reads the file and its drop-ins, each once and as a whole: all *.yaml but hidden ones, by name, in the folder that is named
   like the file with ".d" instead of its suffix. The result is that of runtime_map_parse_files. */
struct runtime_map *runtime_map_load(const char *path, struct runtime_map_problems *problems);

/* The same for those who only need a map that is good: NULL if it has mistakes, or is not there. The caller frees it. */
struct runtime_map *runtime_map_load_good(const char *path);

/* Where the crigate of a map that was loaded keeps its state, and so its control socket: also of one with mistakes (`map` is NULL
   then), which may well be in force as it was before. Lives as long as both. */
const char *runtime_map_state(const struct runtime_map *map, const struct runtime_map_problems *problems);

/* Where a map is. Borrows its strings. */
struct runtime_map_source {
    const char *path;     /* of the file; with a text, what messages call that */
    const char *text;     /* YAML that is in no file; NULL: the file and its drop-ins are read */
    uint64_t fingerprint; /* of the names and contents of what was read last, whether it was a good map or not */
};

/* runtime_map_load, or the same for a text. A source can be loaded again and again. */
struct runtime_map *runtime_map_load_from(struct runtime_map_source *source, struct runtime_map_problems *problems);

/* Whether the source would be read otherwise now than when it was loaded last. false if memory is short. */
bool runtime_map_has_changed(const struct runtime_map_source *source);
