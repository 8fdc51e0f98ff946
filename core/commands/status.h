/* `crigate status`, `crigate owner` and `crigate reload`: questions to the running process, by its control socket. describe.h
   tells what it answers; process/daemon.c adds `pid`, and `refusedMap`, the lines that say why the newest runtime map is not in
   force. */
#ifndef CRIGATE_COMMANDS_STATUS_H
#define CRIGATE_COMMANDS_STATUS_H

/* Run the subcommand; argv[0] is its name, what follows are its arguments. The exit status of the process, as --help tells. */
int status_command(int argc, char **argv);
int owner_command(int argc, char **argv);
int reload_command(int argc, char **argv);

#endif
