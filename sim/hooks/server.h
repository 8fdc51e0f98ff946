/* The gRPC server of the simulated plugin: one thread, one completion queue; a call that waits or hangs blocks no other. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

#include "sim/hooks/options.h"

/* What signals have requested. Any thread may receive a signal, those of C core as well. */
struct hook_wishes {
    atomic_bool stop;
    atomic_bool late; /* send answers late */
};

/* Serves until a signal stops it, then cancels running calls and removes the socket. When it listens, writes the plugin's file if
   one is wanted, and prints "hooksim: listening on ..." on stdout. The journal may be NULL. */
bool hook_server_run(struct hook_options *options, FILE *journal, struct hook_wishes *wishes, struct error *error);
