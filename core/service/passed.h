/* The descriptors that a service manager passes to a process that it starts: a row of them, counted in the variables LISTEN_PID
   and LISTEN_FDS. sd_listen_fds(3) of systemd documents this, for programs without its library, too. */
#pragma once

/* The first descriptor of the row. */
#define PASSED_FIRST 3

/* How many descriptors were passed to this process; 0: none, or the variables make no sense, which is logged. Has them closed in
   programs that this one starts, and removes LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES, so that the next call returns 0. No
   other thread may use the environment meanwhile. */
int passed_take(void);
