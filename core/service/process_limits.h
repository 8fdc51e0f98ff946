/* The limits that the process was started with (ulimit, or LimitNOFILE= and LimitAS= of a unit), and how its descriptors are
   divided: callers' connections get some, and the gateway itself the rest, so that it can connect to runtimes and answer on the
   control socket even if callers use up their share. */
#pragma once

#include <stddef.h>

#include "base/bytes/error.h"

/* Raises the soft limit to the hard limit, but not beyond MOST_DESCRIPTORS. */
void descriptors_raise(void);

/* How many of the wanted connections the process can have, with two descriptors each, if so many sockets share them. At least
 * one.
 */
size_t descriptors_for_connections(size_t wanted, unsigned parts);

/* Whether the limits leave room for C core, which aborts without descriptors, and waits forever for threads that cannot be
   started. RESOURCE_EXHAUSTED, with what to raise. */
bool process_limits_check(struct error *error);
