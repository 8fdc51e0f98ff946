/* `crigate preflight`: whether crigate can be installed on this node, and what that would change. Writes nothing. */
#pragma once

#include "base/options/options.h"

extern const struct command_line preflight_command_line;

/* Runs the subcommand; argv[0] is its name, its arguments follow. Returns the exit status of the process: an enum fitness
   (judge.h), EX_USAGE (64) for wrong arguments, EX_IOERR if not all could be printed. */
int preflight_command(int argc, char **argv);
