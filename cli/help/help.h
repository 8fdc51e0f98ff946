/* `crigate help [COMMAND]`, and what is printed of a command that does not exist. */
#pragma once

#include "base/options/command.h"

extern const struct command_line help_command_line;

/* Runs the subcommand; argv[0] is its name, its arguments follow. Returns the exit status of the process; see --help. */
int help_command(const struct command_table *table, int argc, char **argv);

/* Prints what `crigate --help` prints: the options of crigate itself, and all commands. */
void help_print(const struct command_table *table, FILE *out);

/* Prints "crigate: no command 'statsu'; did you mean 'status'? See crigate --help" on standard error. Returns EX_USAGE. */
int help_no_command(const struct command_table *table, const char *typed);
