/* `crigate bypass`: for emergencies in which crigate itself is the problem. The socket path that the kubelet uses becomes a link
   to the runtime's own socket, and crigate is stopped; the kubelet's files are not changed. */
#pragma once

#include "base/options/options.h"

/* `crigate bypass on|off|status`. Returns the exit status of the process: 0 good, 1 done, but with problems, 2 not possible,
   EX_USAGE. */
int bypass_command(int argc, char **argv);

extern const struct command_line bypass_command_line;
