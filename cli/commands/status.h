/* `crigate status`, `crigate owner` and `crigate reload`: requests to the running process, by its control socket.
   gateway/status.h has the members of the answers; core/daemon/sockets.c adds `refusedMap`, the lines why the newest runtime map
   is not in force. */
#pragma once

#include "base/options/options.h"

extern const struct command_line status_command_line;
extern const struct command_line owner_command_line;
extern const struct command_line reload_command_line;

/* Run the subcommand; argv[0] is its name, what follows are its arguments. The result is the exit status of the process; see
 * --help. */
int status_command(int argc, char **argv);
int owner_command(int argc, char **argv);
int reload_command(int argc, char **argv);
