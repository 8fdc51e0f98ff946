/* The side of a takeover that hands over: the running process, when another one takes over from it. The other side is in
   takeover_client.h; docs/takeover.md has the steps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/sockets/control.h"
#include "core/sockets/listener.h"

struct takeover_server {
    struct listener *listener;
    int state_lock;    /* handed over as well; -1: none */
    uint64_t watchdog; /* service_manager_watchdog, which the other process cannot know */
    /* Called before the descriptors are sent, to write down the state. false: nothing is handed over. `memory` gets a descriptor
       that is handed over as well, and stays the callee's; -1: none. */
    bool (*prepare)(void *state, int *memory, struct error *error);
    /* Called at the end. `handed_over`: the other process owns the socket now; else this one still does. */
    void (*ended)(void *state, bool handed_over);
    /* After the handover: the other process has ended before this one was drained. */
    void (*successor_lost)(void *state);
    void *state;

    struct control_connection *claimant; /* of the process that takes over; NULL: none does */
    int64_t deadline;
    struct control_connection *successor; /* of the process that took over, until this one is drained */
    bool drained;
};

/* The requests "takeover VERSION ADDRESS" and "serving". */
void takeover_server_begin(struct takeover_server *takeover_server, struct control_connection *connection, const char *argument);
void takeover_server_finish(struct takeover_server *takeover_server, struct control_connection *connection);

/* After the handover: this process makes nothing more on the runtimes. Closes the connection, as the end of the process would. */
void takeover_server_drained(struct takeover_server *takeover_server);
