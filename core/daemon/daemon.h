/* The process: the gateway, and the Unix service around it. One struct, on the poll thread unless it says otherwise. */
#pragma once

#include <stdatomic.h>

#include "core/control/report.h"
#include "core/daemon/exposition.h"
#include "core/daemon/log_level.h"
#include "core/daemon/takeover_client.h"
#include "core/daemon/takeover_server.h"
#include "core/daemon/to_gateway.h"
#include "core/gateway/drain.h"
#include "core/gateway/gateway.h"
#include "core/loop/poll_thread.h"
#include "core/map/load.h"
#include "core/service/file_watch.h"
#include "core/service/folder_watch.h"
#include "core/service/manager.h"

/* Reloads of the runtime map. */
struct reloader {
    struct watch retry;          /* armed while a map is put off */
    bool notify;                 /* the service manager knows that the process is ready, and gets notified */
    bool wanted;                 /* once it is clear who owns the socket */
    struct json_object *warned;  /* messages of the last reload that was done, as logged; NULL: none was. Released likewise */
    struct json_object *refusal; /* messages of the last reload if it was not done; else NULL */
};

/* A socket besides the first. */
struct more_socket {
    struct listener *listener;
    bool serves; /* it accepts connections */
    bool lent;   /* to a process that takes over */
};

struct daemon {
    struct gateway gateway; /* on its worker, except what is safe from any thread */
    struct watchdog watchdog;
    struct drain drain;
    struct exposition exposition;
    struct plugin_supply plugins;
    struct control_reporter reporters[5];
    bool failed;             /* could not take over */
    atomic_bool is_main;     /* the service manager's: its line for people is this process's. Read by the worker, too */
    atomic_bool map_refused; /* the newest runtime map is not in force. Likewise */

    struct runtime_map_source source;
    const struct runtime_map *map; /* for a takeover: until that has ended, no other map comes into force */
    char *state_folder;
    int state_lock; /* -1: not owned (yet, or any more) */
    struct poll_thread *poll_thread;
    struct listener *listener;                     /* NULL: not taken over yet */
    struct more_socket more[2 * MAP_MOST_SOCKETS]; /* while a reload opens some and closes others */
    size_t more_count;
    struct control *control; /* likewise */
    struct file_watch *files;
    struct folder_watch *plugin_folder;     /* NULL: hooks are off */
    struct takeover_client *takeover;       /* from another process, until that makes nothing more; NULL: none */
    struct takeover_server takeover_server; /* by another process */
    struct watch signals;
    struct watch gateway_ready;   /* written to from the worker: the gateway can answer calls, or has waited long enough */
    struct watch gateway_drained; /* likewise, after the handover: this process makes nothing more on the runtimes */
    struct reloader reloader;
    struct log_level_state log_level;

    uint64_t watchdog_interval; /* the service manager's, in microseconds; 0: none */
    bool stopping;              /* no more connections come; running calls end */
    bool closing;               /* nothing reaches the gateway any more */
    int pending_signal;         /* once it is clear who owns the socket; 0: none */
};

/* This process takes over, and does not own the socket yet. */
static inline bool daemon_is_taking_over(const struct daemon *daemon)
{
    return daemon->takeover && takeover_client_state(daemon->takeover) < TAKEOVER_CLIENT_OWNER;
}

/* Another process takes over, and does not own the socket yet. */
static inline bool daemon_is_handing_over(const struct daemon *daemon)
{
    return daemon->takeover_server.state == TAKEOVER_SERVER_OFFERED;
}
