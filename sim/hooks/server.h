/* The gRPC server of the simulated plugin. */
#pragma once

#include <stdio.h>

#include "sim/common/wishes.h"
#include "sim/hooks/options.h"

/* Serves until a signal stops it, then cancels running calls and removes the socket. When it listens, writes the plugin's file if
   one is wanted, and prints "hooksim: listening on ..." on stdout. The journal may be NULL. */
bool hook_server_run(struct hook_options *options, FILE *journal, const struct wishes *wishes, struct error *error);
