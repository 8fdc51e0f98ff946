/* `crigate calls`: the calls in progress in the running process. core/calls/describe.h has the members of the answer. */
#pragma once

#include "base/options/options.h"

extern const struct command_line calls_command_line;

/* Runs the subcommand; argv[0] is its name, what follows are its arguments. The result is the exit status of the process; see
   --help. */
int calls_command(int argc, char **argv);
