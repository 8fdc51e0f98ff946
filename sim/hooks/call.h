/* One call on the simulated plugin's server, from its arrival to its last byte. */
#pragma once

#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stdio.h>

#include "sim/common/served_call.h"
#include "sim/hooks/options.h"

/* What all calls share. */
struct hook_calls {
    struct served_calls served;
    struct hook_options *options;
    FILE *journal;           /* or NULL */
    const atomic_bool *late; /* whether answers are sent late, as the options say */
    grpc_server *server;
    unsigned turn; /* counts answers */
};

/* What the calls do at each step. */
extern const struct served_steps hook_call_steps;

/* Asks for the next call. */
void hook_call_await(struct hook_calls *calls);
