/* `crigate top`: runtimes and calls in progress of the running process, once a second. */
#pragma once

#include "base/options/options.h"

extern const struct command_line top_command_line;

/* Runs the subcommand; argv[0] is its name, what follows are its arguments. The result is the exit status of the process; see
   --help. */
int top_command(int argc, char **argv);
