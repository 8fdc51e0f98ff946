/* `crigate version`: the program's own version, and with -v those of the libraries in it. */
#pragma once

#include "base/options/options.h"

extern const struct command_line version_command_line;

/* Runs the subcommand; argv[0] is its name, what follows are its arguments. Returns the exit status of the process; see --help.
 */
int version_command(int argc, char **argv);
