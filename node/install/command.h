/* `crigate bypass`: for the moment when crigate itself is in the way. The socket path that the kubelet uses becomes a link to the
   runtime's own socket, and crigate is stopped; the kubelet's files stay as they are. */
#pragma once

#include "base/options/options.h"

/* `crigate bypass on|off|status`. Returns the exit status of the process: 0 good, 1 done, but not as it should be, 2 not
   possible, EX_USAGE. */
int bypass_command(int argc, char **argv);

extern const struct command_line bypass_command_line;
