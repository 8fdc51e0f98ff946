/* The running program: the gateway, the daemon around it, and what goes between them. */
#ifndef CRIGATE_CORE_SERVE_H
#define CRIGATE_CORE_SERVE_H

#include <stdbool.h>

#include "core/map/map.h"

/* Blocks SIGTERM, SIGINT and SIGHUP, and ignores SIGPIPE: what arrives from now on waits for `serve`, where one thread takes
   them. To be called before any thread is started, so that all inherit it, and before anything that takes time. */
void serve_block_signals(void);

/* Serves until asked to stop, or until another process has taken over and the last call has ended; with `take_over`, in place of
   the running process. Takes over the map. Signals are blocked already. The exit status of the process. */
int serve(struct runtime_map *map, bool take_over);

#endif
