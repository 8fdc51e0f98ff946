/* `crigate watch`: the main process of a pod without any rights on its node. It sees only what `crigate verify --report` wrote.
 */
#pragma once

#include "base/options/options.h"

/* Returns the exit status of the process: 0 ended by a signal, or, with --ready, the last report is good and recent; 1 with
   --ready: it is not; EX_USAGE. */
int watch_command(int argc, char **argv);

extern const struct command_line watch_command_line;
