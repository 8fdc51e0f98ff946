/* Prints a runtime map. */
#pragma once

#include <stdio.h>

#include "core/map/map.h"

/* Prints the map as YAML with the defaults filled in, below a comment that names its files. The output loads to the same
   map. */
void runtime_map_print(const struct runtime_map *map, FILE *out);
