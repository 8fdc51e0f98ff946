/* What in a runtime map needs more than deploy/crigate.service allows. */
#pragma once

#include <stdio.h>

#include "core/map/map.h"
#include "core/plugins/list.h"

/* Prints a line for each, with what a drop-in of the unit must set: sockets of runtimes and plugins that root may not use without
   capabilities, sockets and folders that the unit hides, and folders that it may not write to. Ignores sockets that are not
   there. `plugins` may be NULL. */
void unit_advice_print(const struct runtime_map *map, const struct plugin_list *plugins, FILE *out);
