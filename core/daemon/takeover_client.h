/* The side of a takeover that takes over: a process that replaces a running one without a caller noticing. The other side is in
   takeover_server.h; docs/takeover.md has the steps. */
#pragma once

#include <stdint.h>

#include "base/bytes/error.h"
#include "base/log/change.h"
#include "core/loop/poll_thread.h"
#include "core/map/map.h"
#include "core/service/listener.h"

/* The state of a takeover, as this side sees it. There are no other arrows than these:

       CONNECTED -> BESIDE       the descriptors arrived
       CONNECTED -> FAILED       the other process refused, or did not answer
       BESIDE -> CONFIRMING      "serving" was sent
       CONFIRMING -> OWNER       it answered that it leaves, or has died
       CONFIRMING -> FAILED      it keeps serving
       OWNER -> ALONE            it said no more, or has ended; then "taken" is sent */
enum takeover_client_state {
    TAKEOVER_CLIENT_CONNECTED,  /* the other process serves, and this one gets ready to */
    TAKEOVER_CLIENT_BESIDE,     /* both could serve; the other process owns the socket */
    TAKEOVER_CLIENT_CONFIRMING, /* both serve; it is not clear who owns the socket */
    TAKEOVER_CLIENT_OWNER,      /* this process owns the socket; the other one may still make something on the runtimes */
    TAKEOVER_CLIENT_ALONE,      /* the end: the other one makes nothing more */
    TAKEOVER_CLIENT_FAILED,     /* the end: the other process keeps the socket, and this one must leave that alone */
};

struct takeover_client;

/* Connects to the running process by the control socket in that folder. It must run as root or as our own user. The caller ends
   the takeover with takeover_client_close. */
struct takeover_client *takeover_client_connect(const char *folder, struct error *error);

/* Asks for the listening socket. To be called when this process can answer calls. Waits for the answer, but not forever. After a
   failure the other process keeps serving. */
struct listener *takeover_client_ask(struct takeover_client *takeover, const struct runtime_map *map, struct error *error);

/* After that: asks for another socket of the map. NULL: the running process does not hand it over. */
struct listener *takeover_client_ask_for(struct takeover_client *takeover, const struct map_socket *entry);

/* After takeover_client_ask: the service manager's watchdog interval for the running process, in microseconds; 0: none. */
uint64_t takeover_client_watchdog(const struct takeover_client *takeover);

/* Likewise: the change of the log's level that is in force there; its `until` is 0: none. */
const struct log_change *takeover_client_log_change(const struct takeover_client *takeover);

/* After takeover_client_ask: the descriptor that arrived as the lock of the state folder. The caller owns it. -1: none arrived.
 */
int takeover_client_take_state_lock(struct takeover_client *takeover);

/* The same for the descriptor of memory with what may be in no file. */
int takeover_client_take_memory(struct takeover_client *takeover);

/* The same for the socket on which metrics are served. */
int takeover_client_take_metrics(struct takeover_client *takeover);

enum takeover_client_state takeover_client_state(const struct takeover_client *takeover);

/* In BESIDE: reports that this process serves the socket. Calls `changed` when the state is OWNER, FAILED (with the reason), and
   ALONE. */
void takeover_client_confirm(struct takeover_client *takeover, struct poll_thread *poll_thread,
                             void (*changed)(void *owner, const struct error *error), void *owner);

/* In ALONE: all that the other process has passed on is taken, so that it need not write it down. */
void takeover_client_taken(struct takeover_client *takeover);

/* NULL is allowed. */
void takeover_client_close(struct takeover_client *takeover);
