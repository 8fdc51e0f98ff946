/* `crigate completion bash|zsh`: prints the script that completes command lines of crigate, made from the tables of all commands.
 */
#pragma once

#include "base/options/command.h"

extern const struct command_line completion_command_line;

/* Runs the subcommand; argv[0] is its name, its arguments follow. Returns the exit status of the process; see --help. */
int completion_command(const struct command_table *table, int argc, char **argv);
