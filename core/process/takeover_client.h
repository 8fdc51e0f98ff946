/* The side of a takeover that takes over: a process that replaces a running one without a caller noticing. The other side is in
   takeover_server.h; docs/takeover.md has the steps. */
#pragma once

#include <stdint.h>

#include "core/logging/change.h"
#include "core/map/map.h"
#include "core/sockets/listener.h"
#include "core/sockets/poll_thread.h"
#include "translate/bytes/error.h"

struct takeover_client;

/* Connects to the running process by the control socket in that folder. It must run as root or as our own user. The caller ends
   the takeover with takeover_client_close. */
struct takeover_client *takeover_client_connect(const char *folder, struct error *error);

/* Asks for the listening socket. To be called when this process can answer calls. Waits for the answer, but not for ever. After a
   failure the other process keeps serving. */
struct listener *takeover_client_ask(struct takeover_client *takeover, const struct runtime_map *map, struct error *error);

/* After takeover_client_ask: the service manager's watchdog interval for the running process, in microseconds; 0: none. */
uint64_t takeover_client_watchdog(const struct takeover_client *takeover);

/* Likewise: the change of the log's level that is in force there; its `until` is 0: none. */
const struct log_change *takeover_client_log_change(const struct takeover_client *takeover);

/* After takeover_client_ask: the descriptor that came as the lock of the state folder. The caller owns it. -1: none came. */
int takeover_client_take_state_lock(struct takeover_client *takeover);

/* The same for the descriptor of memory with what may be in no file. */
int takeover_client_take_memory(struct takeover_client *takeover);

/* The same for the socket on which metrics are served. */
int takeover_client_take_metrics(struct takeover_client *takeover);

/* Reports that this process serves the socket. Calls `ended`, once, when it is clear who owns the socket: this process (NULL), or
   still the other one (the reason), so that this one must leave the socket alone. */
void takeover_client_confirm(struct takeover_client *takeover, struct poll_thread *poll_thread,
                             void (*ended)(void *state, const struct error *error), void *state);

/* After a takeover: calls `drained`, once, when the other process makes nothing more on the runtimes, or has ended. */
void takeover_client_wait(struct takeover_client *takeover, struct poll_thread *poll_thread, void (*drained)(void *state),
                          void *state);

/* NULL is allowed. */
void takeover_client_close(struct takeover_client *takeover);
