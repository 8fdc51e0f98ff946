/* What the running process is to its system: the socket for callers, the control socket, signals, the runtime map's files, and
   the service manager. One thread keeps them; what is behind them is the gateway's, and is called back. */
#ifndef CRIGATE_PROCESS_DAEMON_H
#define CRIGATE_PROCESS_DAEMON_H

#include <grpc/grpc.h>
#include <signal.h>
#include <stdio.h>

#include "core/base/worker.h"
#include "core/map/map.h"
#include "core/process/reload.h"
#include "core/process/worker_query.h"
#include "translate/error.h"

struct daemon_callbacks {
    /* On the poll thread's thread, which must not be held up for more than a few seconds. */

    /* To stop: a signal arrived, at most once. No more connections come; running calls are to end, in bounded time. May come
       after handed_over. */
    void (*stop)(void *state, int signal);
    /* To reload the runtime map, because of a signal, a request or a changed file. What there is to say goes to `report`, a line
       each. One that was put off is tried again by the daemon, until it is not. */
    enum reload (*reload)(void *state, FILE *report);
    /* To write down what another process is to know. false: it may not take over. */
    bool (*before_takeover)(void *state, struct error *error);
    /* Another process serves the socket. Running calls are to end, however long they take. */
    void (*handed_over)(void *state);
    /* A takeover has ended: this process owns the socket (NULL), or cannot and is to stop (the reason). The service manager wants
       to hear of it within so many microseconds, as of the process before; 0: it does not. */
    void (*took_over)(void *state, uint64_t watchdog, const struct error *error);
    /* And some time after that: the process before makes nothing on the runtimes any more. */
    void (*predecessor_drained)(void *state);

    /* What `crigate status` and `crigate owner` show. */
    worker_query_describe *describe;

    void *state;
};

struct daemon;

/* Opens them: after this, another process cannot. With `take_over`, a running process is found instead and its socket asked for
   later. SIGTERM, SIGINT and SIGHUP must be blocked in all threads. Only the calls and the worker have to outlive it. */
struct daemon *daemon_open(const struct runtime_map *map, bool take_over, const struct daemon_callbacks *callbacks,
                           struct error *error);

/* Lets callers in. With a takeover: once daemon_gateway_ready was called, or after some seconds. */
bool daemon_start(struct daemon *daemon, grpc_server *server, struct worker *worker, struct error *error);

/* The gateway can answer, or has waited long enough for being able to: the service manager is told, a takeover goes on. Safe from
   any thread until daemon_close. */
void daemon_gateway_ready(struct daemon *daemon);

/* After handed_over: nothing is made on the runtimes any more, which the other process is told. Likewise. */
void daemon_gateway_drained(struct daemon *daemon);

/* For daemon_callbacks.reload. Whether another map can come into force without a restart: FAILED_PRECONDITION if not. And, when
   it is in force: who may call, and how the socket looks. */
bool daemon_can_apply_map(const struct daemon *daemon, const struct runtime_map *map, struct error *error);
bool daemon_apply_map(struct daemon *daemon, const struct runtime_map *map, struct error *error);

/* After handed_over: tells callers to go to the other process. `state` is the daemon. On the worker's thread, while no reply is
   being written; see leaving.h. */
void daemon_send_goaway(void *state);

/* When the gateway stops: shuts down all callers' connections. On the worker's thread. */
void daemon_shut_down_connections(struct daemon *daemon);

/* Closes them, and frees everything. After the worker has ended. NULL is allowed. */
void daemon_close(struct daemon *daemon);

#endif
