/* Runtime maps in tests. */
#pragma once

#include "core/map/read.h"

/* runtime_map_parse_files for a file without drop-ins. */
static inline struct runtime_map *runtime_map_parse(const char *path, const char *text, size_t size,
                                                    struct runtime_map_problems *problems)
{
    return runtime_map_parse_files(&(struct runtime_map_text){.path = path, .text = text, .size = size}, 1, problems);
}
