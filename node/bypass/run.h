/* The steps of `crigate bypass on` and `off`. Killed at any point, the node works, even after a reboot, and either command may be
   run again: `on` continues, `off` undoes. */
#pragma once

#include "node/bypass/find.h"

/* Exit statuses. */
enum bypass_result {
    BYPASS_GOOD = 0,
    BYPASS_DOUBTFUL = 1,   /* done, but with problems */
    BYPASS_IMPOSSIBLE = 2, /* not done */
};

/* Puts the link in place, stops crigate, writes the record, and waits until the path answers and the kubelet is healthy. The
   socket has no gap: the link replaces it first, and callers move over when crigate goes. Prints a line for each step. */
enum bypass_result bypass_run_on(const struct bypass_found *found, struct bypass_record *record, struct arena *arena);

/* Removes the link and the record, starts crigate, and makes the kubelet reconnect. If crigate does not start, the bypass is
   restored. An empty record: there is none, but parts of a bypass may be left. */
enum bypass_result bypass_run_off(const char *config, struct bypass_record *record, struct arena *arena);
