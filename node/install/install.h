/* `crigate install`: installs crigate between the node's kubelet and its runtime, step by step, or leaves the node unchanged. */
#pragma once

#include "base/options/options.h"

extern const struct command_line install_command_line;

/* Runs the subcommand; argv[0] is its name. Returns the exit status: 0 crigate is installed, 1 it is installed, but whether the
   kubelet calls it could not be checked, 2 the node is unchanged, 64 wrong arguments. */
int install_command(int argc, char **argv);
