/* The gateway: the generation in force, the server in front, and what is remembered. One struct, on one worker's thread. */
#ifndef CRIGATE_GATEWAY_GATEWAY_H
#define CRIGATE_GATEWAY_GATEWAY_H

#include <grpc/grpc.h>
#include <stdatomic.h>

#include "core/base/worker.h"
#include "core/calls/idle_callers.h"
#include "core/calls/memory_limit.h"
#include "core/memory/knowledge.h"
#include "core/node/filesystems.h"
#include "core/runtimes/generation.h"

struct call;
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

struct gateway {
    struct generation *generation;    /* in force */
    const struct runtime_map *making; /* of the generation that is being made; NULL otherwise */
    unsigned next_slot;               /* for the next runtime that is new */
    struct worker worker;
    grpc_server *server;
    struct runtime_callbacks runtime_callbacks;

    struct event_hub *events; /* who listens to the runtimes' events */
    struct node_filesystems *filesystems;
    struct knowledge knowledge;

    enum gateway_phase phase;
    enum gateway_ending ending;
    int64_t stop_began;      /* worker_now(); 0: not yet */
    unsigned stuck;          /* calls that did not get on at the last look */
    unsigned calls;          /* in flight */
    unsigned streams;        /* of them, those whose reply is a stream */
    struct call *first;      /* of the calls in flight, newest first */
    struct call *parked;     /* calls that wait for the primary in its start-up grace, or for a first look at other runtimes */
    struct timer grace;      /* armed while the primary is waited for */
    struct timer first_look; /* armed until every runtime has had time to show whether it is there */
    struct memory_limit memory;
    struct idle_callers idle_callers;
    struct timer trim; /* armed when free memory is to be given back to the system */
    struct timer shutdown_deadline;
    struct completion stop_asked;
    struct completion shut_down;
    bool refusing_calls;      /* no call comes any more */
    atomic_bool bounded_stop; /* calls that run too long are cancelled even if they get on; set from any thread */

    /* Called once, on the worker's thread: the primary answered for the first time, or its grace is over. */
    void (*settled)(void *state);
    void *settled_state;

    /* Called once, on the worker's thread, after another process has taken over: nothing is made here any more. */
    void (*quiet)(void *state);
    void *quiet_state;

    /* Called once, on the worker's thread, when callers keep the process from ending: their connections are to be shut down. */
    void (*hang_up)(void *state);
    void *hang_up_state;
};

/* Builds the gateway and starts connecting to the runtimes. `take_over`: another process serves the socket still, and is to hand
   it over. Takes over the map, also when it fails. false: no memory. */
bool gateway_init(struct gateway *gateway, struct runtime_map *map, bool take_over);

/* Puts another map in force, which is taken over; running calls finish under the old one. It has passed daemon_can_use.
   FAILED_PRECONDITION, with the old map still in force: a runtime that still owns pods would go, or its ids change. Worker's
   thread. */
bool gateway_reload(struct gateway *gateway, struct runtime_map *map, struct error *error);

/* Serves until gateway_stop; then waits for running calls and frees everything. false: connections did not end in time. What was
   last seen is saved, but the transport still points to the gateway: the process has to end now, without another call of it. */
bool gateway_run(struct gateway *gateway);

/* Whether a reply is being written to a caller right now. Worker's thread. */
bool gateway_is_replying(const struct gateway *gateway);

/* Starts to stop: no new calls are taken, running ones end. Those that have not ended after limits.shutdown_grace are cancelled
   once nothing but them is left that a runtime is at work for; with `bounded`, all are. Then callers are hung up on, and then
   the process ends whatever is pending, all within a second. Safe from any thread. May be called again, to bound what was not. */
void gateway_stop(struct gateway *gateway, bool bounded);

/* Something took that much memory, and is over: if it was big, the memory goes back to the system once no more of that
   kind comes. */
void gateway_used(struct gateway *gateway, size_t memory);

/* Pods that a runtime is known to hold. */
size_t gateway_pods_of(const struct gateway *gateway, struct runtime *runtime);

/* The server has refused to wait for another call: it is stopping. */
void gateway_calls_refused(struct gateway *gateway);

/* A call has come, and is counted in `calls`. */
void gateway_call_began(struct gateway *gateway);

/* A call that was counted in `calls` is gone. */
void gateway_call_ended(struct gateway *gateway);

#endif
