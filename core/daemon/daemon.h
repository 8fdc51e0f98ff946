/* The process as a Unix service: the socket for callers, the control socket, signals, the runtime map's files, and the service
   manager. All of them run on the poll thread. The gateway behind them is reached by callbacks. */
#pragma once

#include <grpc/grpc.h>
#include <signal.h>
#include <stdio.h>

#include "base/bytes/error.h"
#include "core/control/report.h"
#include "core/daemon/reload.h"
#include "core/map/map.h"
#include "core/transport/callers.h"

struct daemon_callbacks {
    /* On the poll thread, which must not be blocked for more than a few seconds. */

    /* Stop: a signal arrived; at most once. No more connections come. Running calls must end in bounded time. May come after
       handed_over. */
    void (*stop)(void *state, int signal);
    /* Reload the runtime map: on a signal, a request or a changed file. Messages go to `report`, one a line. The daemon retries a
       reload that was put off. */
    enum reload (*reload)(void *state, FILE *report);
    /* Whether the files of the map are others than when they were read last. */
    bool (*map_has_changed)(void *state);
    /* Read the folder of the plugins' files: on a change in it, a minute after the last time, and soon after a map with hooks has
       come into force. */
    void (*plugins_changed)(void *state);
    /* Write down what another process needs to know. false: it may not take over. `memory` gets a descriptor for it that stays
       the callee's; -1: none. */
    bool (*before_takeover)(void *state, int *memory, struct error *error);
    /* Another process did not get ready after before_takeover: this one continues. */
    void (*takeover_failed)(void *state);
    /* Another process serves the socket. Running calls may take as long as they need. */
    void (*handed_over)(void *state);
    /* That process has ended before it had all that this one learned, or may have. `early`: before this one made its last pod. */
    void (*successor_lost)(void *state, bool early);
    /* That process has all that this one had learned when it made its last pod. */
    void (*successor_has_all)(void *state);
    /* A takeover continues: this process is about to accept callers, beside the other one. `memory` is the descriptor that the
       other process sent, and the callee's now; -1: none. */
    void (*about_to_serve)(void *state, int memory);
    /* A takeover has ended: this process owns the socket (NULL), or must stop (the reason). `watchdog` is the service manager's
       watchdog interval in microseconds; 0: none. `metrics` is the socket for metrics that the other process sent, and the
       callee's now; -1: none. */
    void (*took_over)(void *state, uint64_t watchdog, int metrics, const struct error *error);
    /* A copy of the socket for metrics, for the process that takes over; -1: there is none. */
    int (*lend_metrics)(void *state);
    /* Some time after that: the process before makes nothing more on the runtimes. Whether all that it passed on is taken. */
    bool (*predecessor_drained)(void *state);

    void *state;
};

struct daemon;

/* Opens the sockets; another process cannot do so afterwards. With `take_over`, connects to the running process instead, whose
   socket is taken over later. SIGTERM, SIGINT, SIGHUP and SIGUSR1 must be blocked in all threads. The map is used until a
   takeover has ended; what the callbacks use must outlive the daemon. */
struct daemon *daemon_open(const struct runtime_map *map, bool take_over, const struct daemon_callbacks *callbacks,
                           struct error *error);

/* Its part in reports: state is the daemon, on the poll thread. */
extern const struct control_report daemon_reports[];

/* Accepts callers. With a takeover: once daemon_gateway_ready was called, or after some seconds. The reporters of the control
   socket must outlive the daemon. */
bool daemon_start(struct daemon *daemon, struct callers *callers, const struct control_reporter *reporters, struct error *error);

/* The gateway can answer calls, or has waited long enough: notifies the service manager and continues a takeover. Safe from any
   thread until daemon_close. */
void daemon_gateway_ready(struct daemon *daemon);

/* After handed_over: this process makes nothing more on the runtimes. Notifies the other process. Safe from any thread, likewise.
 */
void daemon_gateway_drained(struct daemon *daemon);

/* For daemon_callbacks.reload. Whether another map can come into force without a restart: FAILED_PRECONDITION if not. And, once
   it is in force: applies its rules for callers, the socket's mode and group, and watches its folder of plugins. */
bool daemon_can_apply_map(const struct daemon *daemon, const struct runtime_map *map, struct error *error);
bool daemon_apply_map(struct daemon *daemon, const struct runtime_map *map, struct error *error);

/* Closes them, and frees everything. After the worker has ended. NULL is allowed. */
void daemon_close(struct daemon *daemon);
