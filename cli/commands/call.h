/* `crigate call`: one call to a CRI server in any dialect, JSON in and out. For administrators and for tests. */
#pragma once

/* Runs the subcommand; argv[0] is "call", its arguments follow. Returns the exit status of the process: 0 for OK, the number of
   any other gRPC status (1 to 16), EX_USAGE (64) for wrong arguments. */
int call_command(int argc, char **argv);
