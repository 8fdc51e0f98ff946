/* What in a runtime map needs more than deploy/crigate.service allows. */
#pragma once

#include <stdio.h>

#include "core/map/map.h"

/* Prints a line for each, with what a drop-in of the unit must set: sockets of runtimes that root may not use without
   capabilities, sockets that the unit hides, and folders that it may not write to. Ignores what cannot be read or is not there.
 */
void unit_advice_print(const struct runtime_map *map, FILE *out);
