/* What of a runtime map needs more than deploy/crigate.service allows. */
#ifndef CRIGATE_PROCESS_UNIT_ADVICE_H
#define CRIGATE_PROCESS_UNIT_ADVICE_H

#include <stdio.h>

#include "core/map/map.h"

/* Prints a line for each, with what a drop-in of the unit has to say: sockets of runtimes that root may not use without its
   powers, those that the unit hides, and folders that it may not write to. What cannot be looked at, or is not there, is passed
   over. */
void unit_advice_print(const struct runtime_map *map, FILE *out);

#endif
