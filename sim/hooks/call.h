/* One call on the simulated plugin's server, from its arrival to its last byte. */
#pragma once

#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stdio.h>

#include "sim/hooks/options.h"

struct hook_call;

/* What all calls share. */
struct hook_calls {
    struct hook_options *options;
    FILE *journal;           /* or NULL */
    const atomic_bool *late; /* whether answers are sent late, as the options say */
    grpc_server *server;
    grpc_completion_queue *queue;
    struct hook_call *timers; /* delayed calls, the earliest first */
    size_t alive;
    unsigned turn; /* counts answers */
};

/* Asks for the next call. */
void hook_call_await(struct hook_calls *calls);

/* An event of the completion queue that belongs to a call. */
void hook_call_event(void *tag, bool good);

/* The time when the next delayed call is due, but not later than `latest`. */
gpr_timespec hook_calls_next_timer(const struct hook_calls *calls, gpr_timespec latest);

/* Continues the delayed calls that are due. */
void hook_calls_run_timers(struct hook_calls *calls, gpr_timespec now);

/* Drops the delayed calls without an answer, at the end. */
void hook_calls_drop_timers(struct hook_calls *calls);
