/* `crigate verify`: checks crigate on this node. */
#pragma once

#include "base/options/options.h"

/* Returns the exit status of the process: 0 no problems, 1 problems, 2 crigate cannot be checked, EX_USAGE. */
int verify_command(int argc, char **argv);

extern const struct command_line verify_command_line;
