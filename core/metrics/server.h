/* The thread that serves /metrics, /healthz and /readyz. It shares nothing with the thread that serves calls. */
#pragma once

#include <json-c/json.h>

#include "core/metrics/endpoint.h"
#include "core/metrics/sample.h"

/* What is known at one moment. */
struct metrics_look {
    struct metric_samples *samples; /* the receiver's; NULL: out of memory */
    bool alive;                     /* calls are served */
    bool ready;                     /* and the primary is ready */
};

/* Looks. Called on the server's thread, where it may wait for a while. */
typedef void metrics_look_at(void *state, struct metrics_look *look);

struct metrics_server;

/* Starts the thread. It does not listen yet. NULL with an error: no memory, no descriptors or no thread. */
struct metrics_server *metrics_server_start(metrics_look_at *look, void *state, struct error *error);

/* Listens there from now on, or nowhere. An address that cannot be used is logged and tried again, forever. `adopted` is a
   listening socket that another process has handed over, and the server's now; -1: none. Any thread. */
void metrics_server_listen(struct metrics_server *server, const struct metrics_address *at, int adopted);

/* {"listen": "127.0.0.1:9464", "problem": "cannot bind ..."}, which the caller owns; without `problem` where nothing has failed.
   NULL: it listens nowhere. Any thread. */
struct json_object *metrics_server_describe(struct metrics_server *server);

/* A copy of the listening socket, for another process; the caller closes it. -1: there is none. Any thread. */
int metrics_server_lend(struct metrics_server *server);

/* Another process serves the socket: closes it, and leaves its file. Any thread. */
void metrics_server_hand_over(struct metrics_server *server);

/* Ends the thread, closes the socket and frees all. NULL is allowed. */
void metrics_server_stop(struct metrics_server *server);
