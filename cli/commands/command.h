/* `crigate log`: temporarily changes the log level of the running process, through its control socket. core/daemon/log_level.h
   has the answer. */
#pragma once

#include "base/options/options.h"

extern const struct command_line log_command_line;

/* Runs the subcommand; argv[0] is its name, what follows are its arguments. The result is the exit status of the process; see
 * --help. */
int log_command(int argc, char **argv);
