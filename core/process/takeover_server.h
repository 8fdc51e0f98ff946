/* Handing over: what the running process does when another one takes over from it. See takeover.h for the other side, and
   docs/takeover.md for what they say to each other. */
#ifndef CRIGATE_PROCESS_TAKEOVER_SERVER_H
#define CRIGATE_PROCESS_TAKEOVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sockets/control.h"
#include "core/sockets/listener.h"

struct takeover_server {
    struct listener *listener;
    int state_lock;    /* goes along; -1: there is none */
    uint64_t watchdog; /* what the other process cannot know: service_manager_watchdog */
    /* Before the descriptors go: state is to be written now. false: nothing is handed over. */
    bool (*prepare)(void *state, struct error *error);
    /* It has come to an end. `left`: the other process owns the socket now; else it is still ours. */
    void (*ended)(void *state, bool handed_over);
    void *state;

    struct control_connection *claimant; /* NULL: none is under way */
    int64_t deadline;
    struct control_connection *successor; /* of the process that took over, as long as it is not told that all is quiet */
};

/* The requests "takeover VERSION ADDRESS" and "serving". */
void takeover_server_begin(struct takeover_server *takeover_server, struct control_connection *connection, const char *argument);
void takeover_server_finish(struct takeover_server *takeover_server, struct control_connection *connection);

/* After it has left: this process makes nothing on the runtimes any more. Its end says the same. */
void takeover_server_drained(struct takeover_server *takeover_server);

#endif
