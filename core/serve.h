/* The running program: the gateway, its doors, and what goes between them. */
#ifndef CRIGATE_CORE_SERVE_H
#define CRIGATE_CORE_SERVE_H

#include <stdbool.h>

#include "core/runtime_map.h"

/* Serves until asked to stop, or until another process has taken over and the last call has ended; with `take_over`, in place of
   the running process. Takes over the map. The exit status of the process. */
int serve(struct runtime_map *map, bool take_over);

#endif
