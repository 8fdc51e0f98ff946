/* `crigate explain`: how calls between two dialects are translated, and how one given request is. Needs no running crigate. */
#pragma once

#include "base/options/options.h"

extern const struct command_line explain_command_line;

/* Runs the subcommand; argv[0] is its name, its arguments follow. Returns the exit status of the process: with a request an enum
   explain_status (request.h), without one 0, or EX_USAGE (64) for wrong arguments or a malformed request. */
int explain_command(int argc, char **argv);
