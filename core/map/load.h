/* Loads a runtime map from its files: the operator's file and its drop-ins. */
#pragma once

#include "core/map/map.h"
#include "core/map/problems.h"

/* Reads the file and its drop-ins, each once and as a whole: all *.yaml but hidden ones, by name, in the folder that is named
   like the file with ".d" instead of its suffix. The result is that of runtime_map_parse_files. */
struct runtime_map *runtime_map_load(const char *path, struct runtime_map_problems *problems);
