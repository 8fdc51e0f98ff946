/* `crigate uninstall`: takes crigate out again, so that the kubelet calls its runtime as before. */
#pragma once

#include "base/options/options.h"

extern const struct command_line uninstall_command_line;

/* Runs the subcommand; argv[0] is its name. Returns the exit status: 0 the node is as before, 1 a file that somebody
   changed was left as it is, and printed; while it is one of the kubelet's that names crigate, crigate serves on; 2 refused or
   failed, and crigate serves on, 64 wrong arguments. */
int uninstall_command(int argc, char **argv);
