/* The side of a takeover that hands over: the running process, when another one takes over from it. The other side is in
   takeover_client.h; docs/takeover.md has the steps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/control/control.h"
#include "core/service/listener.h"

/* The state of a takeover, as this side sees it. There are no other arrows than these:

       SERVES -> OFFERED         "takeover" arrived, and the descriptors were sent
       OFFERED -> SERVES         the other process hung up, or has not said "serving" in 5 s: nothing has happened
       OFFERED -> HANDED_OVER    "serving" arrived
       HANDED_OVER -> DRAINED    this process makes nothing more on the runtimes, and says no more
       DRAINED -> TAKEN          "taken" arrived: the other process has all that it was given
       HANDED_OVER -> LOST       the other process hung up, or has ended, before this one was drained
       DRAINED -> LOST           the same before "taken", which versions before 0.2 do not send */
enum takeover_server_state {
    TAKEOVER_SERVER_SERVES,      /* owns the socket, and nobody takes over */
    TAKEOVER_SERVER_OFFERED,     /* owns the socket; another process may serve beside it. Nothing changes meanwhile: signals and
                                    reloads wait for the end of this state */
    TAKEOVER_SERVER_HANDED_OVER, /* the other process owns the socket; this one ends its calls */
    TAKEOVER_SERVER_DRAINED,     /* likewise, but no call of these makes anything any more */
    TAKEOVER_SERVER_TAKEN,       /* the end: nothing is needed of this process */
    TAKEOVER_SERVER_LOST,        /* the end: what the other process was given may be lost with it */
};

struct takeover_server {
    struct listener *listener;
    int state_lock;    /* handed over as well; -1: none */
    uint64_t watchdog; /* service_manager_watchdog, which the other process cannot know */
    /* Called before the descriptors are sent, to write down the state. false: nothing is handed over. `memory` gets a descriptor
       that is handed over as well, and stays the callee's; -1: none. */
    bool (*prepare)(void *owner, int *memory, struct error *error);
    /* The state has changed. OFFERED is not reported: `prepare` is. */
    void (*changed)(void *owner, enum takeover_server_state before);
    void *owner;

    enum takeover_server_state state;
    struct control_connection *other; /* of the other process; NULL: there is none, or no more */
    int64_t deadline;                 /* of OFFERED */
};

/* The requests "takeover VERSION ADDRESS", "serving" and "taken". */
void takeover_server_begin(struct takeover_server *takeover_server, struct control_connection *connection, const char *argument);
void takeover_server_finish(struct takeover_server *takeover_server, struct control_connection *connection);
void takeover_server_taken(struct takeover_server *takeover_server, struct control_connection *connection);

/* After the handover: this process makes nothing more on the runtimes. Says so to the other one. */
void takeover_server_drained(struct takeover_server *takeover_server);

/* Whether that connection is the other process's, before it owns the socket. */
bool takeover_server_is_offered_to(const struct takeover_server *takeover_server, const struct control_connection *connection);

/* Whether the other process owns the socket. */
static inline bool takeover_server_has_handed_over(const struct takeover_server *takeover_server)
{
    return takeover_server->state >= TAKEOVER_SERVER_HANDED_OVER;
}
