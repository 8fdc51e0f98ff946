/* What crigate shows to Prometheus: it joins gateway/, metrics/ and what only the process as a whole knows. */
#pragma once

#include <stdatomic.h>

#include "core/control/report.h"
#include "core/gateway/gateway.h"
#include "core/map/map.h"
#include "core/metrics/server.h"

/* Zero-initialised, then exposition_begin. Must outlive the worker, which may answer when nobody waits any more. */
struct exposition {
    struct gateway *gateway;
    struct metrics_server *server;  /* NULL: there never was an address. Poll thread, or before that runs */
    atomic_uint waiting;            /* requests that the worker has not answered */
    atomic_bool reloaded;           /* the newest map is in force */
    atomic_uint_least64_t map_hash; /* of the map in force */
    bool quiet;                     /* another process still serves metrics, or serves them again */
    struct metrics_address address; /* of the map in force */
};

/* Serves metrics where the map has them, unless `quiet`: then another process still does. */
void exposition_begin(struct exposition *exposition, struct gateway *gateway, const struct runtime_map *map, bool quiet);

/* Another map is in force; or one was refused. Poll thread, like all below. */
void exposition_apply_map(struct exposition *exposition, const struct runtime_map *map);
void exposition_map_refused(struct exposition *exposition);

/* A copy of the socket for a process that takes over; the caller closes it. -1: there is none. */
int exposition_lend(const struct exposition *exposition);

/* That process has taken over, and serves metrics. */
void exposition_hand_over(struct exposition *exposition);

/* This process has taken over, with that socket, which it owns now; -1: none. */
void exposition_take_over(struct exposition *exposition, int socket);

/* Its part in reports: the text in `metrics` of CONTROL_METRICS, without metrics of the process (with node_exporter's textfile
   collector they would clash with its own of the same names); and in CONTROL_STATUS where metrics are served by HTTP, and why
   they are not: see metrics_server_describe. State is the exposition, on the poll thread. */
extern const struct control_report exposition_reports[];

void exposition_end(struct exposition *exposition);
