/* Checks what no single value of a runtime map can show. */
#pragma once

#include "core/map/parsed.h"

/* Fills in the defaults that follow from other values, and moves the entries with force out of the runtimes. Then checks sockets,
   handlers and images that two runtimes claim, the one primary and the one default. Adds the mistakes to the map's problems. */
void runtime_map_check(struct parsed_map *parsed);
