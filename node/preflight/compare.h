/* `crigate compare`: which images only one of two runtimes has, and how much disk both take. */
#pragma once

#include "base/options/options.h"

extern const struct command_line compare_command_line;

/* Runs the subcommand; argv[0] is its name. Returns the exit status: 0 both have the same images, 1 they do not, 2 one could not
   be asked, EX_USAGE (64) wrong arguments, EX_IOERR if not all could be printed. */
int compare_command(int argc, char **argv);
