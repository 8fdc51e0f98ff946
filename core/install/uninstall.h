/* `crigate uninstall`: takes crigate out again, so that the kubelet calls its runtime as before. */
#pragma once

#include "core/options/options.h"

extern const struct command_line uninstall_command_line;

/* Runs the subcommand; argv[0] is its name. Returns the exit status: 0 the node is as before, 1 that is so but for what was
   printed, 2 crigate serves on, 64 wrong arguments. */
int uninstall_command(int argc, char **argv);
