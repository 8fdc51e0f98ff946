/* Taking over: what a process does that is to replace a running one without a caller noticing. See takeover.h for the other side,
   and docs/takeover.md for what they say to each other. */
#ifndef CRIGATE_PROCESS_TAKEOVER_CLIENT_H
#define CRIGATE_PROCESS_TAKEOVER_CLIENT_H

#include <stdint.h>

#include "core/map/map.h"
#include "core/sockets/listener.h"
#include "core/sockets/poll_thread.h"
#include "translate/error.h"

struct takeover;

/* Connects to the running process by the control socket in that folder, and looks whether it may be trusted: it has to run as
   root or as our own user. The caller ends it with takeover_close. */
struct takeover *takeover_connect(const char *folder, struct error *error);

/* Asks for the listening socket, to be called when this process can answer calls. Waits for the answer, but not for ever. After a
   failure the other one goes on serving. */
struct listener *takeover_ask(struct takeover *takeover, const struct runtime_map *map, struct error *error);

/* After that, and for as long as takeover_close was not called: within how many microseconds the service manager wants to hear of
   the running process; 0: it does not. */
uint64_t takeover_watchdog(const struct takeover *takeover);

/* After that: the descriptor that was handed over as the lock of the state folder, which is the caller's from then on; -1 when
   there was none. */
int takeover_take_state_lock(struct takeover *takeover);

/* Says that this process serves the socket, and has `ended` called, once, when it is clear who owns it: this one (NULL), or still
   the other one (the reason), so that this one must leave the socket. */
void takeover_confirm(struct takeover *takeover, struct poll_thread *poll_thread,
                      void (*ended)(void *state, const struct error *error), void *state);

/* When the other process has left: has `quiet` called, once, when that one makes nothing on the runtimes any more, or has ended.
 */
void takeover_wait(struct takeover *takeover, struct poll_thread *poll_thread, void (*quiet)(void *state), void *state);

/* NULL is allowed. */
void takeover_close(struct takeover *takeover);

#endif
