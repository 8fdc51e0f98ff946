/* One call on the simulated plugin's server, from its arrival to its last byte. */
#pragma once

#include <grpc/grpc.h>
#include <stdio.h>

#include "sim/common/served_call.h"
#include "sim/common/wishes.h"
#include "sim/hooks/options.h"

/* What all calls share. */
struct hook_calls {
    struct served_calls served;
    struct hook_options *options;
    FILE *journal; /* or NULL */
    const struct wishes *wishes;
    unsigned turn; /* counts answers */
};

/* What the calls do at each step. */
extern const struct served_steps hook_call_steps;
