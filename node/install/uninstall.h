/* `crigate uninstall`: removes crigate, so that the kubelet calls its runtime directly again. */
#pragma once

#include "base/options/options.h"

extern const struct command_line uninstall_command_line;

/* Runs the subcommand; argv[0] is its name. Returns the exit status: 0 the node is restored, 1 a changed file was left as it is,
   and printed; if it is a file of the kubelet that names crigate, crigate keeps serving; 2 refused or failed, and crigate keeps
   serving, 64 wrong arguments. */
int uninstall_command(int argc, char **argv);
