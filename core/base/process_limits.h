/* The limits that the process was started with: ulimit, or LimitNOFILE= and LimitAS= of a unit. */
#pragma once

#include "translate/bytes/error.h"

/* Whether they leave room for C core, which aborts without descriptors, and waits for ever for threads that cannot be started.
   RESOURCE_EXHAUSTED, with what to raise. */
bool process_limits_check(struct error *error);
