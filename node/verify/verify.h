/* `crigate verify`: whether crigate on this node is as it should be. */
#pragma once

#include "base/options/options.h"

/* Returns the exit status of the process: 0 all well, 1 something is not as it should be, 2 it cannot be checked, EX_USAGE. */
int verify_command(int argc, char **argv);

extern const struct command_line verify_command_line;
