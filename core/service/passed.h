/* The descriptors that a service manager passes to a process that it starts: a row of them, counted in the variables LISTEN_PID
   and LISTEN_FDS. sd_listen_fds(3) of systemd documents this, for programs without its library, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The first descriptor of the row. */
#define PASSED_FIRST 3

/* How many descriptors were passed to this process; 0: none, or the variables make no sense, which is logged. Has them closed in
   programs that this one starts, and removes LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES, so that the next call returns 0. No
   other thread may use the environment meanwhile. */
int passed_take(void);

/* Whether one of that many descriptors is a socket that listens at the path. */
bool passed_has(int passed, const char *path);

/* Closes all of them but those that are kept. */
void passed_close_others(int passed, const int *kept, size_t kept_count);
