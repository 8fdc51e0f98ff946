/* Asks callers to use another connection, without failing a call.

   C core sends GOAWAY only when a server shuts down. From that moment on it cancels the calls that come in, also those that were
   sent before the caller could know. So the first GOAWAY, which means "start no new calls here, those that you have started go
   on", is written to the connections here, beside C core, while its server still takes calls. That is sound at one moment only:
   when no reply is being written, because then C core writes nothing but small control frames, each of them whole and at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct goaway;

/* NULL: no memory or no descriptors. */
struct goaway *goaway_new(void);

/* Notes a connection that C core is given. false: it cannot be noted, and its caller would get no GOAWAY. On the thread that
 * accepts. */
bool goaway_note(struct goaway *goaway, int connection);

/* Connections that are noted and have not hung up, as far as goaway_sweep has seen. On the thread that accepts. */
size_t goaway_count(const struct goaway *goaway);

/* A descriptor that can be read when connections have hung up; goaway_sweep then forgets some of them, and returns whether there
 * were any. On the thread that accepts. */
int goaway_descriptor(const struct goaway *goaway);
bool goaway_sweep(struct goaway *goaway);

/* Sends GOAWAY on all connections that are alive. No connection may be accepted any more, and no reply may be being written. Any
 * thread. */
void goaway_send(struct goaway *goaway);

/* Sends it on one connection, by its descriptor. At that moment nothing but small control frames may be written to it. */
void goaway_send_to(int connection);

/* Hangs up on all connections: what C core has to write fails, so that it can end them. As goaway_send, but at any moment. */
void goaway_hang_up(struct goaway *goaway);

/* NULL is allowed. */
void goaway_free(struct goaway *goaway);
