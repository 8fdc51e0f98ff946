/* The running program: the gateway, and the daemon around it. */
#pragma once

#include <stdbool.h>

#include "core/map/load.h"

/* Blocks SIGTERM, SIGINT and SIGHUP, and ignores SIGPIPE. Signals that arrive from now on wait for `serve`, where one thread
   takes them. Call this before any thread is started, so that all inherit it, and before anything that takes time. */
void serve_block_signals(void);

/* Serves until it must stop, or until another process has taken over and the last call has ended. With `take_over`, replaces the
   running process. Owns the map from now on; a reload loads the next one from `source`. Signals are blocked already. Returns the
   exit status of the process. */
int serve(struct runtime_map *map, const struct runtime_map_source *source, bool take_over);
