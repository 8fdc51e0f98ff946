/* The gateway: the runtime map in force, the runtimes behind it, the server in front. One struct, on one worker's thread. */
#ifndef CRIGATE_CORE_GATEWAY_H
#define CRIGATE_CORE_GATEWAY_H

#include <grpc/grpc.h>

#include "core/node_filesystems.h"
#include "core/runtime.h"
#include "core/runtime_map.h"
#include "core/worker.h"

struct call;

enum gateway_phase {
    GATEWAY_SERVING,
    GATEWAY_STOPPING,  /* the server takes no new calls and waits for its connections to end */
    GATEWAY_SHUT_DOWN, /* it has no connections any more; calls may still be about to notice */
};

struct gateway {
    const struct runtime_map *map;
    struct runtime *runtimes; /* as many and in the same order as in the map */
    struct worker worker;
    grpc_server *server;
    struct node_filesystems *filesystems;

    enum gateway_phase phase;
    unsigned calls;      /* in flight */
    struct call *parked; /* calls that wait for the primary in its start-up grace */
    struct timer grace;  /* armed while the primary is waited for */
    struct timer shutdown_deadline;
    struct event stop_asked;
    struct event shut_down;
};

/* Builds the gateway and starts connecting to the runtimes. The map must outlive it. false: no memory. */
bool gateway_init(struct gateway *gateway, const struct runtime_map *map);

/* Serves until gateway_stop; then waits for running calls, at most limits.shutdown_grace, and frees everything. */
void gateway_run(struct gateway *gateway);

/* Starts to stop: no new calls are taken. Safe from any thread; call it once. */
void gateway_stop(struct gateway *gateway);

/* A call that was counted in `calls` is gone. */
void gateway_call_ended(struct gateway *gateway);

/* The primary. */
struct runtime *gateway_primary(struct gateway *gateway);

#endif
