/* `crigate call`: one call to a CRI server in any dialect, JSON in and out. For people on nodes and for tests. */
#ifndef CRIGATE_COMMANDS_CALL_H
#define CRIGATE_COMMANDS_CALL_H

/* Runs the subcommand; argv[0] is "call", what follows are its arguments. Answers the exit status of the process: 0 for OK, the
   number of the gRPC status (1 to 16) for any other, EX_USAGE (64) for wrong arguments. */
int call_command(int argc, char **argv);

#endif
