/* The gateway: the generation in force, the server in front, and what is remembered. One struct, on one worker's thread. */
#pragma once

#include <stdatomic.h>

#include "core/base/worker.h"
#include "core/calls/server.h"
#include "core/memory/knowledge.h"
#include "core/node/filesystems.h"
#include "core/runtimes/generation.h"

struct event_hub;

enum gateway_phase {
    GATEWAY_SERVING,
    GATEWAY_STOPPING,  /* the server takes no new calls and waits for its connections to end */
    GATEWAY_SHUT_DOWN, /* it has no connections any more; calls may still be about to notice */
};

/* How far a stop has come. Each step is bounded, so that nothing that is pending keeps the process. */
enum gateway_ending {
    GATEWAY_WAITS,     /* for calls to end by themselves */
    GATEWAY_CANCELLED, /* they were cancelled: those that need no more than that end now */
    GATEWAY_HUNG_UP,   /* callers' connections were shut down, or have ended: only runtimes' are left */
};

/* What the process hears of the gateway, each once and on the worker's thread. */
struct gateway_callbacks {
    void *state;
    /* The primary answered for the first time, or its grace is over. */
    void (*started)(void *state);
    /* After another process has taken over: nothing is made on runtimes here any more. */
    void (*drained)(void *state);
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
    struct event_hub *events; /* who listens to the runtimes' events */
    struct node_filesystems *filesystems;

    struct timer grace;      /* armed while the primary is waited for */
    struct timer first_look; /* armed until every runtime has had time to show whether it is there */

    enum gateway_phase phase;
    enum gateway_ending ending;
    int64_t stop_began; /* clock_ns(); 0: not yet */
    unsigned stuck;     /* calls that did not get on at the last look */
    struct timer shutdown_deadline;
    struct completion stop_asked;
    struct completion shut_down;
    bool refusing_calls;      /* no call comes any more */
    atomic_bool bounded_stop; /* calls that run too long are cancelled even if they get on; set from any thread */
};
