/* The gateway: the generation in force, the server, and what was learned. One struct, on one worker's thread. */
#pragma once

#include <stdatomic.h>

#include "core/calls/server.h"
#include "core/calls/slow.h"
#include "core/hooks/hooks.h"
#include "core/knowledge/knowledge.h"
#include "core/loop/worker.h"
#include "core/machine/filesystems.h"
#include "core/runtimes/generation.h"

struct event_hub;

enum gateway_phase {
    GATEWAY_SERVING,
    GATEWAY_STOPPING,  /* the server takes no new calls and waits for its connections to end */
    GATEWAY_SHUT_DOWN, /* it has no connections any more; some calls may not have noticed yet */
};

/* The steps of a stop. Each is limited in time, so that no pending operation keeps the process. */
enum gateway_ending {
    GATEWAY_WAITS,     /* waits for calls to end by themselves */
    GATEWAY_CANCELLED, /* calls were cancelled; waits for those that end because of that */
    GATEWAY_HUNG_UP,   /* callers' connections were shut down, or have ended: only runtimes' connections remain */
};

/* Callbacks to the process, on the worker's thread. The first two are called once. */
struct gateway_callbacks {
    void *state;
    /* The primary answered for the first time, or its grace is over. */
    void (*started)(void *state);
    /* After another process has taken over: this one creates nothing more on runtimes. */
    void (*drained)(void *state);
    /* A runtime's state, or which runtimes there are, may have changed. */
    void (*changed)(void *state);
};

struct gateway {
    struct worker worker;
    struct generation *generation;    /* in force */
    const struct runtime_map *making; /* of the generation that is being made; NULL otherwise */
    unsigned next_slot;               /* for the next runtime that is new */
    struct runtime_callbacks runtime_callbacks;
    struct gateway_callbacks callbacks; /* NULL what was called */

    struct knowledge knowledge;
    struct call_server server;
    struct hooks hooks;
    int handover; /* memory for what a process that takes over needs of the hooks; -1: none. The poll thread reads and sets it
                     only before and after a request to the worker */
    struct event_hub *events; /* who listens to the runtimes' events */
    struct node_filesystems *filesystems;

    struct slow_calls slow;
    struct timer grace;      /* armed while the primary is waited for */
    struct timer first_look; /* armed until every runtime has had time to connect */

    enum gateway_phase phase;
    enum gateway_ending ending;
    int64_t stop_began; /* clock_ns(); 0: not yet */
    unsigned stuck;     /* calls without progress at the last check */
    struct timer shutdown_deadline;
    struct completion stop_asked;
    struct completion shut_down;
    bool refusing_calls;      /* no more calls arrive */
    atomic_bool bounded_stop; /* calls that run too long are cancelled even if they make progress; set from any thread */
};
