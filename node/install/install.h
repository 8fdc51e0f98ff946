/* `crigate install`: puts crigate between the node's kubelet and its runtime, step by step, or leaves the node as it was. */
#pragma once

#include "base/options/options.h"

extern const struct command_line install_command_line;

/* Runs the subcommand; argv[0] is its name. Returns the exit status: 0 crigate is in, 1 it is in but nothing has shown yet that
   the kubelet calls it, 2 the node is as before, 64 wrong arguments. */
int install_command(int argc, char **argv);
