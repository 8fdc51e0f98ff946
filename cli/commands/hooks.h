/* `crigate hooks`: the plugins of the running process, their state and their counts. gateway/hooks.h has the members of the
 * answer. */
#pragma once

#include "base/options/options.h"

extern const struct command_line hooks_command_line;

/* Runs the subcommand; argv[0] is its name, what follows are its arguments. The result is the exit status of the process; see
   --help. */
int hooks_command(int argc, char **argv);
